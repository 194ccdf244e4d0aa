/** A transport over scripted HTTP with an inbox, and the messages its tests send. */
import { MetaKey } from "../../protocol/meta-keys.js";
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResult } from "../../wire/json-rpc.js";
import type { Transport } from "../transport.js";
import type { HttpClientOptions } from "./http-client-options.js";
import { ScriptedHttp } from "./scripted-http.fixture.js";
import { StreamableHttpTransport } from "./streamable-http-transport.js";

export const URL_OF_SERVER = "http://mcp.example/mcp";

export interface SetUp<T extends Transport> {
  readonly transport: T;
  readonly http: ScriptedHttp;
  readonly received: unknown[];
  readonly errors: Error[];
  readonly closings: (Error | undefined)[];
}

/** Everything about a transport but that it was started. */
export function prepare<T extends Transport>(
  make: (options: HttpClientOptions) => T,
  options: HttpClientOptions = {},
): SetUp<T> {
  const http = new ScriptedHttp();
  const errors: Error[] = [];
  const transport = make({ fetch: http.fetch, onError: (error) => errors.push(error), ...options });
  return { transport, http, received: [], errors, closings: [] };
}

export function begin<T extends Transport>({ transport, received, closings }: SetUp<T>): void | Promise<void> {
  return transport.start({
    receive: (message) => received.push(message),
    receiveUnparsable: (error) => closings.push(error),
    closed: (error) => closings.push(error),
  });
}

export function startStreamable(options: HttpClientOptions = {}): SetUp<StreamableHttpTransport> {
  const setUp = prepare((given) => new StreamableHttpTransport(URL_OF_SERVER, given), options);
  void begin(setUp);
  return setUp;
}

export function modern(id: string | number, method: string, params: Record<string, unknown> = {}): JsonRpcRequest {
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: { [MetaKey.protocolVersion]: "2026-07-28" } } };
}

export function legacy(id: string | number, method: string, params: Record<string, unknown> = {}): JsonRpcRequest {
  return { jsonrpc: "2.0", id, method, params };
}

export function notification(method: string, params: Record<string, unknown> = {}): JsonRpcNotification {
  return { jsonrpc: "2.0", method, params };
}

export function cancelled(requestId: string | number): JsonRpcNotification {
  return notification("notifications/cancelled", { requestId, reason: "enough" });
}

export function answerTo(id: string | number, result: Record<string, unknown> = {}): JsonRpcResult {
  return { jsonrpc: "2.0", id, result };
}

/** A handshake that ended with a session; its standalone stream is refused unless a test wants it. */
export async function openSession(
  { transport, http }: SetUp<Transport>,
  { revision = "2025-11-25", session = "s-1" }: { revision?: string; session?: string } = {},
): Promise<void> {
  const initialized = transport.send(legacy("init", "initialize", { protocolVersion: "2025-11-25" }));
  (await http.next()).result({ protocolVersion: revision }, { "mcp-session-id": session });
  await initialized;
  const ready = transport.send(notification("notifications/initialized"));
  (await http.next()).accept();
  await ready;
}

/** The same, with the standalone stream refused. */
export async function openQuietSession(setUp: SetUp<Transport>): Promise<void> {
  await openSession(setUp);
  (await setUp.http.next()).respond(405);
}

/** Lets what is already on its way arrive. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}
