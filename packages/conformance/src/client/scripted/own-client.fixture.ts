/** The client of this repository as a driver: it does in every scenario what the documentation asks for. */
import { Client } from "parley-mcp";
import { oauth, type RedirectReceiver } from "parley-mcp/oauth";
import { tasks } from "parley-mcp/tasks";
import { isObject, type JsonObject } from "../../wire/json-rpc.js";
import type { ClientTrial } from "../client-runner.js";

/** The played authorization servers redirect at once. */
const redirect: RedirectReceiver = {
  redirectUri: "http://127.0.0.1:3999/callback",
  async receive(url, _state, signal) {
    const { headers } = await fetch(url, { redirect: "manual", signal });
    return new URL(headers.get("location") ?? "").searchParams;
  },
};

/** Connects, walks the lists, calls, reads and gets everything, and closes. */
export async function driveOwnClient(trial: ClientTrial): Promise<void> {
  await using client = await Client.connect(targetOf(trial), {
    name: "own",
    version: "1.0.0",
    // Empty content: the client itself fills in the defaults of the form.
    elicit: () => ({ action: "accept", content: {} }),
    elicitUrl: () => ({ action: "accept" }),
    sample: () => ({ role: "assistant", model: "none", content: { type: "text", text: "sampled" } }),
    listRoots: () => [{ uri: "file:///somewhere" }],
    onError: () => undefined,
    ...(/task/.test(trial.scenario) ? { extensions: [tasks] } : {}),
    ...(trial.scenario === "stdio-probe-silent" ? { probeTimeoutMs: 500 } : {}),
  });
  const isModern = client.era === "modern";
  if (isModern && client.serverCapabilities?.tools?.listChanged) {
    await using changes = await client.listen({ tools: true });
    for await (const { kind } of changes) if (kind === "tools") break;
  }
  for await (const tool of client.tools()) {
    const options = {
      onProgress: () => undefined,
      ...(isModern ? { logLevel: "info" as const } : {}),
      ...(tool.name === "hang" ? giveUp(trial) : {}),
    };
    await client.callTool(tool.name, defaultsOf(tool), options).catch(() => undefined);
  }
  if (!isModern && client.serverCapabilities?.resources?.subscribe) await watchFirst(client);
  if (client.serverCapabilities?.resources)
    for await (const { uri } of client.resources()) await client.readResource(uri).catch(() => undefined);
  if (client.serverCapabilities?.prompts)
    for await (const { name } of client.prompts()) await client.getPrompt(name).catch(() => undefined);
}

/** Waits for an update of the first resource. */
async function watchFirst(client: Client): Promise<void> {
  for await (const { uri } of client.resources()) {
    await using changes = await client.listen({ resource: [uri] });
    for await (const { kind } of changes) if (kind === "resource") break;
    return;
  }
}

/** A task is given up by its signal: the time limit of a call is one of a single request. */
function giveUp({ scenario }: ClientTrial): { timeoutMs?: number; signal?: AbortSignal } {
  return /task/.test(scenario) ? { signal: AbortSignal.timeout(300) } : { timeoutMs: 100 };
}

function targetOf({ server, scenario, told }: ClientTrial): Parameters<typeof Client.connect>[0] {
  if (typeof server !== "string") {
    const [command, ...args] = server;
    return { command, args, stderr: "ignore", exitGraceMs: 1000 };
  }
  if (!scenario.startsWith("login")) return server;
  const { PARLEY_CHECK_CLIENT_ID: clientId, PARLEY_CHECK_METADATA_URL: clientMetadataUrl } = told;
  const client = clientId === undefined ? undefined : { clientId };
  return { url: server, authorization: oauth({ redirect, client, clientMetadataUrl }) };
}

/** The arguments that the schema of a tool gives as defaults. */
function defaultsOf({ inputSchema }: { readonly inputSchema?: unknown }): JsonObject {
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {};
  const given = Object.entries(properties).filter(([, property]) => isObject(property) && "default" in property);
  return Object.fromEntries(given.map(([name, property]) => [name, (property as JsonObject).default]));
}
