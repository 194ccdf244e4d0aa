/** The client of the official SDK, first major version. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
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
} from "../peer-client.js";
import { QUICK_RECONNECTION } from "./quick-reconnection.js";

export const officialV1: ClientPeer = {
  name: "official v1",
  packageName: "@modelcontextprotocol/sdk",
  lacks: lack("left to the application", "session forgotten"),
  connect: (endpoint, _wanted, hear) => connect(endpoint, hear),
};

async function connect(endpoint: Endpoint, hear: Hear): Promise<PeerClient> {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  const client = new Client({ name: "interop", version: "1.0.0" }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) =>
    params.mode === "url" ? { action: "accept" } : { action: "accept", content: fillIn(params.requestedSchema) },
  );
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: "assistant",
    model: "none",
    content: { type: "text", text: ANSWERS.sampled },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: ANSWERS.root }] }));
  client.fallbackNotificationHandler = async ({ method, params }) => hear(method, params);
  const transport = transportTo(endpoint);
  let revision: string | undefined;
  const withRevision: Transport = Object.assign(transport, {
    setProtocolVersion: wrapped(transport, (negotiated) => {
      revision = negotiated;
    }),
  });
  await client.connect(withRevision);
  return {
    revision,
    listTools: async (cursor) => {
      const { tools, nextCursor } = await client.listTools(cursor === undefined ? {} : { cursor });
      return { names: tools.map(({ name }) => name), nextCursor };
    },
    callTool: async (name, args, { signal, onProgress } = {}) =>
      toolAnswer(
        await client.callTool({ name, arguments: args }, undefined, {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
        }),
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
    watch: async ({ resource }) => {
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
  // Its types leave out that optional members may be undefined.
  return new StreamableHTTPClientTransport(new URL(endpoint.url), QUICK_RECONNECTION) as Transport;
}

/** The SDK tells the negotiated revision to its transport alone. */
function wrapped(transport: Transport, tell: (revision: string) => void): (revision: string) => void {
  const original = transport.setProtocolVersion?.bind(transport);
  return (revision) => {
    tell(revision);
    original?.(revision);
  };
}
