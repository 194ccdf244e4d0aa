/** Our client, as the checks see it. */
import { Client, type ConnectTarget } from "parley-mcp/client";
import { REVISIONS } from "parley-mcp/types";
import {
  ANSWERS,
  type ClientPeer,
  type Endpoint,
  fillIn,
  type Hear,
  type PeerClient,
  textOf,
  toolAnswer,
  type Wanted,
} from "../peer-client.js";

const NOTIFICATIONS = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed",
  resource: "notifications/resources/updated",
  restored: "the subscription was restored",
  extension: "a notification of an extension",
} as const;

export const ours: ClientPeer = { name: "Parley", packageName: "parley-mcp", lacks: {}, connect };

async function connect(endpoint: Endpoint, { era, revision, withoutRoots }: Wanted, hear: Hear): Promise<PeerClient> {
  const client = new Client({
    name: "interop",
    version: "1.0.0",
    // Whether the server speaks the newest era is found out as it would be for any user; the other one is asked for.
    ...(era === "legacy" && { revisions: REVISIONS.filter((known) => known < "2026" && known <= (revision ?? known)) }),
    onError: () => undefined,
    elicit: ({ requestedSchema }) => ({ action: "accept", content: fillIn(requestedSchema) }),
    elicitUrl: () => ({ action: "accept" }),
    sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: ANSWERS.sampled } }),
    // Some servers ask only those clients for roots that would announce changes of them.
    ...(!withoutRoots && { listRoots: () => [{ uri: ANSWERS.root }], capabilities: { roots: { listChanged: true } } }),
  });
  client.onNotification("notifications/message", (params) => hear("notifications/message", params));
  await client.open(targetOf(endpoint));
  return {
    revision: client.revision,
    listTools: async (cursor) => {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
      return { names: tools.map(({ name }) => name), nextCursor };
    },
    callTool: async (name, args, { onProgress, ...options } = {}) =>
      toolAnswer(
        await client.callTool(
          name,
          { ...args },
          {
            ...options,
            ...(onProgress && { onProgress: ({ progress }) => onProgress(progress) }),
          },
        ),
      ),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readResource: async (uri) => textOf((await client.readResource(uri)).contents),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    getPrompt: async (name, args) => textOf([(await client.getPrompt(name, args)).messages[0]?.content]),
    completePrompt: async (name, argument, value) =>
      (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value } })).completion
        .values,
    ping: () => client.ping(),
    setLogLevel: (level) => client.setLogLevel(level),
    watch: async ({ tools, resource }) => {
      const subscription = await client.listen({ ...(tools && { tools }), ...(resource && { resource: [resource] }) });
      void (async () => {
        for await (const change of subscription) hear(NOTIFICATIONS[change.kind], change);
      })();
      return () => subscription.close();
    },
    close: () => client.close(),
  };
}

function targetOf(endpoint: Endpoint): ConnectTarget {
  if (endpoint.kind !== "stdio") return { url: endpoint.url, streams: { initialDelayMs: 20 } };
  return { command: endpoint.command, args: [...endpoint.args], stderr: "ignore" };
}
