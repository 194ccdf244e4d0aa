/** The client of the official SDK, second major version, in either era. */
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { lack } from "../features.js";
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
import { QUICK_RECONNECTION } from "./quick-reconnection.js";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

export const officialV2: ClientPeer = {
  name: "official v2",
  packageName: "@modelcontextprotocol/client",
  lacks: lack("left to the application", "session forgotten"),
  connect,
};

async function connect(endpoint: Endpoint, { era }: Wanted, hear: Hear): Promise<PeerClient> {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : ("auto" as const) };
  const client = new Client({ name: "interop", version: "1.0.0" }, { capabilities, versionNegotiation });
  client.setRequestHandler("elicitation/create", ({ params }) =>
    params.mode === "url" ? { action: "accept" } : { action: "accept", content: fillIn(params.requestedSchema) },
  );
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    model: "none",
    content: { type: "text", text: ANSWERS.sampled },
  }));
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: ANSWERS.root }] }));
  client.fallbackNotificationHandler = async ({ method, params }) => hear(method, params);
  const transport = transportTo(endpoint);
  await client.connect(transport);
  return {
    revision: client.getNegotiatedProtocolVersion(),
    listTools: async (cursor) => {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? undefined : { cursor });
      return { names: tools.map(({ name }) => name), nextCursor };
    },
    callTool: async (name, args, { signal, onProgress, logLevel } = {}) =>
      toolAnswer(
        await client.callTool(
          { name, arguments: args, ...(logLevel && { _meta: { [LOG_LEVEL]: logLevel } }) },
          {
            ...(signal && { signal }),
            ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
          },
        ),
      ),
    listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    readResource: async (uri) => textOf((await client.readResource({ uri })).contents),
    listTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    getPrompt: async (name, args) => textOf([(await client.getPrompt({ name, arguments: args })).messages[0]?.content]),
    completePrompt: async (name, argument, value) =>
      (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value } })).completion
        .values,
    ping: async () => void (await client.ping()),
    setLogLevel: async (level) => void (await client.setLoggingLevel(level)),
    watch: async ({ tools, resource }) => {
      if (era === "modern") {
        const filter = {
          ...(tools && { toolsListChanged: true }),
          ...(resource && { resourceSubscriptions: [resource] }),
        };
        const subscription = await client.listen(filter);
        return () => subscription.close();
      }
      if (resource !== undefined) await client.subscribeResource({ uri: resource });
      return async () => {
        if (resource !== undefined) await client.unsubscribeResource({ uri: resource });
      };
    },
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
  };
}

function transportTo(endpoint: Endpoint): Transport {
  if (endpoint.kind === "stdio") {
    return new StdioClientTransport({ command: endpoint.command, args: [...endpoint.args], stderr: "ignore" });
  }
  if (endpoint.kind === "sse") return new SSEClientTransport(new URL(endpoint.url));
  return new StreamableHTTPClientTransport(new URL(endpoint.url), QUICK_RECONNECTION);
}
