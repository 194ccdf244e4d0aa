/** The official v2 client, driven for parley-check. It negotiates the era. */
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CAPABILITIES, CheckedProvider, FILLED_FORM, ROOTS, SAMPLED } from "./answers.js";
import { type DrivenConnection, drive, type Trial, withOlderTransport } from "./driver.js";

type Stored<Method extends "clientInformation" | "tokens"> = Exclude<
  Awaited<ReturnType<OAuthClientProvider[Method]>>,
  undefined
>;

function createClient(mode: "auto" | "legacy", timeoutMs: number): Client {
  const client = new Client(
    { name: "official-v2", version: "1.0.0" },
    { capabilities: CAPABILITIES, versionNegotiation: { mode, probe: { timeoutMs } } },
  );
  client.setRequestHandler("elicitation/create", () => FILLED_FORM);
  client.setRequestHandler("sampling/createMessage", () => SAMPLED);
  client.setRequestHandler("roots/list", () => ROOTS);
  return client;
}

export function driveOfficialV2(trial: Trial): Promise<void> {
  const { server, scenario, told } = trial;
  const timeoutMs = scenario === "stdio-probe-silent" ? 500 : 60_000;
  const { PARLEY_CHECK_CLIENT_ID: clientId, PARLEY_CHECK_METADATA_URL: documentUrl } = told;
  const authProvider = new CheckedProvider<Stored<"clientInformation">, Stored<"tokens">, OAuthDiscoveryState>(
    documentUrl,
  );
  if (clientId !== undefined) authProvider.saveClientInformation({ client_id: clientId });
  const open = (): DrivenConnection => {
    let client = createClient("auto", timeoutMs);
    const transport =
      typeof server === "string"
        ? new StreamableHTTPClientTransport(new URL(server), { authProvider })
        : new StdioClientTransport({ command: server[0], args: server.slice(1), stderr: "ignore" });
    const http = transport instanceof StreamableHTTPClientTransport ? transport : undefined;
    return {
      connect: () =>
        withOlderTransport(
          trial,
          () => client.connect(transport),
          (url) => {
            client = createClient("legacy", timeoutMs);
            return client.connect(new SSEClientTransport(url));
          },
        ),
      has: (capability) => {
        const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
        const nested = { "tools.listChanged": tools?.listChanged, "resources.subscribe": resources?.subscribe };
        return { resources, prompts, ...nested }[capability] !== undefined;
      },
      listen: async () => {
        const changed = new Promise<void>((resolve) => {
          client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
        });
        const subscription = await client.listen({ toolsListChanged: true });
        await Promise.race([changed, subscription.closed]);
        await subscription.close();
      },
      listTools: (cursor) => client.listTools(cursor === undefined ? undefined : { cursor }),
      callTool: (name, given, { timeoutMs }) =>
        client.callTool({ name, arguments: given }, { timeout: timeoutMs, onprogress: () => undefined }),
      listResources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
      readResource: (uri) => client.readResource({ uri }),
      watchResource: async (uri) => {
        const updated = new Promise<void>((resolve) => {
          client.setNotificationHandler("notifications/resources/updated", () => resolve());
        });
        await client.subscribeResource({ uri });
        await updated;
        await client.unsubscribeResource({ uri });
      },
      listPrompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
      getPrompt: (name) => client.getPrompt({ name }),
      finish: async () => http?.finishAuth(authProvider.checkedAnswer()),
      close: async () => {
        await http?.terminateSession().catch(() => undefined);
        await client.close();
      },
    };
  };
  return drive(trial, open, (error) => error instanceof UnauthorizedError);
}
