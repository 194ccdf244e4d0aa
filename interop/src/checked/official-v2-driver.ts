/** The official v2 client, driven for parley-check. It negotiates the era. */
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CAPABILITIES, CheckedProvider, FILLED_FORM, ROOTS, SAMPLED } from "./answers.js";
import { type DrivenConnection, drive, type Trial } from "./driver.js";

type Stored<Method extends "clientInformation" | "tokens"> = Exclude<
  Awaited<ReturnType<OAuthClientProvider[Method]>>,
  undefined
>;

export function driveOfficialV2(trial: Trial): Promise<void> {
  const { server, scenario, told } = trial;
  const timeoutMs = scenario === "stdio-probe-silent" ? 500 : 60_000;
  const { PARLEY_CHECK_CLIENT_ID: clientId, PARLEY_CHECK_METADATA_URL: documentUrl } = told;
  const authProvider = new CheckedProvider<Stored<"clientInformation">, Stored<"tokens">, OAuthDiscoveryState>(
    documentUrl,
  );
  if (clientId !== undefined) authProvider.saveClientInformation({ client_id: clientId });
  const open = (): DrivenConnection => {
    const client = new Client(
      { name: "official-v2", version: "1.0.0" },
      { capabilities: CAPABILITIES, versionNegotiation: { mode: "auto", probe: { timeoutMs } } },
    );
    client.setRequestHandler("elicitation/create", () => FILLED_FORM);
    client.setRequestHandler("sampling/createMessage", () => SAMPLED);
    client.setRequestHandler("roots/list", () => ROOTS);
    const transport =
      typeof server === "string"
        ? new StreamableHTTPClientTransport(new URL(server), { authProvider })
        : new StdioClientTransport({ command: server[0], args: server.slice(1), stderr: "ignore" });
    const http = transport instanceof StreamableHTTPClientTransport ? transport : undefined;
    return {
      connect: () => client.connect(transport),
      has: (capability) => {
        const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
        return { resources, prompts, "tools.listChanged": tools?.listChanged }[capability] !== undefined;
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
