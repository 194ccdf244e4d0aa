import { MessageChannel } from "node:worker_threads";
import { expect, test, vi } from "vitest";
import { Client } from "../client/client.js";
import { McpServer } from "../server/mcp-server.js";
import { AppHost } from "./app-host.js";
import type { AppHostOptions } from "./app-host-options.js";
import { PostMessageTransport } from "./post-message-transport.js";

const tool = { name: "show", inputSchema: { type: "object" } };
const page = { uri: "ui://show", html: "<!doctype html>", csp: {}, permissions: [], refusedDomains: [] };
const info = { name: "chat", version: "1.0.0" };

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

const someModes = { availableDisplayModes: ["inline", "pip"] };

async function showing(server: McpServer, options: Partial<AppHostOptions> = {}, appCapabilities: object = someModes) {
  const client = await Client.connect(server, { name: "c", version: "1.0.0" });
  const { port1, port2 } = new MessageChannel();
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const transport = PostMessageTransport.overPort(port1);
  const host = AppHost.open({ info, client, tool, transport, onError, teardownMs: 1, ...options });
  const request = (id: number, method: string, params = {}) =>
    new Promise<Answer>((resolve) => {
      port2.on("message", (message: Answer) => void (message.id === id && resolve(message)));
      port2.postMessage({ jsonrpc: "2.0", id, method, params });
    });
  await request(1, "ui/initialize", { appInfo: info, appCapabilities, protocolVersion: "2026-01-26" });
  port2.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  await host.ready;
  /** Resolves when the host has received the notification. */
  const notify = async (method: string, params: object) => {
    port2.postMessage({ jsonrpc: "2.0", method, params });
    await request(0, "ping");
  };
  return {
    host,
    errors,
    request,
    notify,
    async [Symbol.asyncDispose]() {
      await host.close();
      await client.close();
      port2.close();
    },
  };
}

const makeServer = () => new McpServer({ name: "s", version: "1.0.0", pageSize: 1_000, capabilities: { tools: {} } });

test("a page of a server with too many tools cannot call them", async () => {
  const server = makeServer();
  for (let index = 0; index <= 4_096; index += 1) server.tool(`tool-${index}`, () => "");
  await using shown = await showing(server);

  expect((await shown.request(2, "tools/call", { name: "tool-1" })).error).toMatchObject({ code: -32603 });
  expect(shown.errors[0]?.cause).toMatchObject({ code: "too-large" });
});

test("a display mode that the page lacks, from the host's own callback, is the host's mistake", async () => {
  const context = { availableDisplayModes: ["inline", "pip", "fullscreen"] as const };
  await using shown = await showing(makeServer(), { context, onDisplayMode: () => "fullscreen" });

  expect((await shown.request(2, "ui/request-display-mode", { mode: "pip" })).error).toMatchObject({ code: -32603 });
  expect(shown.errors[0]?.cause).toMatchObject({ code: "invalid-argument" });
  expect(shown.host.context.displayMode).toBeUndefined();
});

test("a host that was closed reports what it cannot send", async () => {
  await using shown = await showing(makeServer());
  await shown.host.close();

  shown.host.update({ theme: "dark" });
  await expect.poll(() => shown.errors.at(-1)).toMatchObject({ code: "connection-closed" });
});

test.each<[string, object]>([
  ["info is missing", { info: undefined }],
  ["client is missing", { client: undefined }],
  ['write { name: "chat"', { info: { name: "chat" } }],
  ['did you mean "onLog"', { onLogs: () => undefined }],
  ['context: there is no option "themes"', { context: { themes: "dark" } }],
  ['did you mean "maxHeight"', { context: { containerDimensions: { maxHeigth: 1 } } }],
  ['page: there is no option "cps"', { page: { ...page, cps: {} } }],
  ['did you mean "connectDomains"', { page: { ...page, csp: { connectDomain: [] } } }],
  ["page: permissions is missing", { page: { html: page.html, csp: {} } }],
  ["maxRequests: expected a number from 1", { maxRequests: 0 }],
  ["teardownMs: expected a positive number", { teardownMs: -1 }],
])("a host with a wrong option is refused: %s", async (message, options) => {
  const { port1 } = new MessageChannel();
  const transport = PostMessageTransport.overPort(port1);
  const given = { info, client: {}, tool, transport, ...options } as unknown as AppHostOptions;

  expect(() => AppHost.open(given)).toThrow(message);
  transport.close();
  port1.close();
});

test("errors go to the console without onError", async () => {
  using reported = vi.spyOn(console, "error").mockReturnValue(undefined);
  await using shown = await showing(makeServer(), { onError: undefined });

  await shown.notify("ui/notifications/size-changed", { width: -1 });

  expect(reported.mock.calls).toEqual([[expect.objectContaining({ code: "invalid-message" })]]);
});

test("a page may have no height", async () => {
  using reported = vi.spyOn(console, "error").mockReturnValue(undefined);
  await using shown = await showing(makeServer(), { onError: undefined });

  await shown.notify("ui/notifications/size-changed", { width: 0, height: 0 });

  expect(reported).not.toHaveBeenCalled();
});

test("a page that declared no display modes excludes none", async () => {
  await using shown = await showing(makeServer(), {}, {});

  shown.host.update({ displayMode: "fullscreen" });

  expect(shown.host.context).toMatchObject({ displayMode: "fullscreen", toolInfo: { tool } });
});

test("changes of the context are checked as the first one is", async () => {
  await using shown = await showing(makeServer());

  expect(() => shown.host.update({ locales: "it-IT" } as object)).toThrow('did you mean "locale"');
});

test("a page that declared its display modes excludes the others", async () => {
  await using shown = await showing(makeServer());

  expect(() => shown.host.update({ displayMode: "fullscreen" })).toThrow("only inline, pip");
});

test("a host that is disposed of closes its page", async () => {
  await using shown = await showing(makeServer());

  await shown.host[Symbol.asyncDispose]();
  shown.host.update({ theme: "dark" });

  await expect.poll(() => shown.errors.at(-1)).toMatchObject({ code: "connection-closed" });
});

test("a page that is closed before it is ready rejects `ready`", async () => {
  await using client = await Client.connect(makeServer(), { name: "c", version: "1.0.0" });
  const { port1, port2 } = new MessageChannel();
  const transport = PostMessageTransport.overPort(port1);
  const host = AppHost.open({ info, client, tool, transport, teardownMs: 1, onError: () => undefined });
  const ready = expect(host.ready).rejects.toMatchObject({ code: "connection-closed" });
  port2.close();
  await host.close();
  await ready;
  await host.closed;
});
