/** The official v1 client, driven for parley-check. It knows the legacy era alone. */
import { type OAuthDiscoveryState, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { CAPABILITIES, CheckedProvider, FILLED_FORM, ROOTS, SAMPLED } from "./answers.js";
import { type DrivenConnection, drive, type Trial, withOlderTransport } from "./driver.js";

function createClient(): Client {
  const client = new Client({ name: "official-v1", version: "1.0.0" }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, () => FILLED_FORM);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  return client;
}

export function driveOfficialV1(trial: Trial): Promise<void> {
  const { server, told } = trial;
  const { PARLEY_CHECK_CLIENT_ID: clientId, PARLEY_CHECK_METADATA_URL: documentUrl } = told;
  const authProvider = new CheckedProvider<OAuthClientInformationMixed, OAuthTokens, OAuthDiscoveryState>(documentUrl);
  if (clientId !== undefined) authProvider.saveClientInformation({ client_id: clientId });
  const open = (): DrivenConnection => {
    let client = createClient();
    const transport =
      typeof server === "string"
        ? new StreamableHTTPClientTransport(new URL(server), { authProvider })
        : new StdioClientTransport({ command: server[0], args: server.slice(1), stderr: "ignore" });
    const http = transport instanceof StreamableHTTPClientTransport ? transport : undefined;
    return {
      // Its types leave out that optional members may be undefined.
      connect: () =>
        withOlderTransport(
          trial,
          () => client.connect(transport as Transport),
          (url) => {
            client = createClient();
            return client.connect(new SSEClientTransport(url) as Transport);
          },
        ),
      has: (capability) => {
        const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
        const nested = { "tools.listChanged": tools?.listChanged, "resources.subscribe": resources?.subscribe };
        return { resources, prompts, ...nested }[capability] !== undefined;
      },
      listTools: (cursor) => client.listTools(cursor === undefined ? {} : { cursor }),
      callTool: (name, given, { timeoutMs }) =>
        client.callTool({ name, arguments: given }, undefined, { timeout: timeoutMs, onprogress: () => undefined }),
      listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
      readResource: (uri) => client.readResource({ uri }),
      watchResource: async (uri) => {
        const updated = new Promise<void>((resolve) => {
          client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => resolve());
        });
        await client.subscribeResource({ uri });
        await updated;
        await client.unsubscribeResource({ uri });
      },
      listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
      getPrompt: (name) => client.getPrompt({ name }),
      finish: async () => http?.finishAuth(authProvider.checkedAnswer().get("code") ?? ""),
      close: async () => {
        await http?.terminateSession().catch(() => undefined);
        await client.close();
      },
    };
  };
  return drive(trial, open, (error) => error instanceof UnauthorizedError);
}
