import { APP_MIME_TYPE, AppHost, apps, PostMessageTransport, serveApps } from "parley-mcp/apps";
import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { show } from "../../src/apps/scripted-view.js";
import type { Conversation } from "../../src/conversation.js";
import { verifies } from "../../src/verifies.js";

async function connectBoard({ connect }: Pick<Conversation, "connect">): Promise<{ client: Client; called: string[] }> {
  const called: string[] = [];
  const server = new McpServer({ name: "board", version: "1.0.0" });
  const ui = serveApps(server);
  const page = ui.page("ui://board/main", { name: "board", html: "<!doctype html><p>Board</p>" });
  ui.tool("show_board", { input: z.object({ team: z.string() }), page }, ({ team }) => `Board of ${team}`);
  ui.tool("move_card", { input: z.object({ card: z.number() }), visibility: ["app"] }, ({ card }) => {
    called.push("move_card");
    return `moved ${card}`;
  });
  return { client: await connect(server, { extensions: [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })] }), called };
}

verifies(
  "apps:host:initialize-first",
  "a page that did not send ui/initialize is refused with -32600 whatever it asks for, and malformed params with -32602",
  async ({ connect }) => {
    const { client, called } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { view } = shown;

    const early = await view.request("tools/call", { name: "move_card", arguments: { card: 1 } });
    const malformed = await view.request("ui/initialize", { appInfo: { name: "view" } });
    view.notify("ui/notifications/initialized");
    await view.request("ping");

    expect(early.error).toEqual({ code: -32600, message: "tools/call: send ui/initialize first" });
    expect(malformed.error).toMatchObject({ code: -32602, message: expect.stringContaining("params.appInfo.version") });
    expect(called).toEqual([]);
    expect(Object.keys((await view.initialize()).result?.hostCapabilities as object)).toEqual([
      "serverTools",
      "serverResources",
    ]);
  },
);

verifies(
  "apps:host:silence",
  "a host sends nothing to a page before its initialized notification, and then the tool input before the tool result",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { host, view } = shown;
    host.sendPartialInput({ te: "A" });
    await host.run({ team: "A" });
    host.update({ theme: "dark" });
    await view.request("ping");
    expect(view.methods).toEqual([]);

    const { result } = await view.initialize();
    await view.heard("ui/notifications/tool-result");

    const everything = ["ui/notifications/tool-input", "ui/notifications/tool-result"];
    expect(view.methods).toEqual(everything);
    expect(result?.hostContext).toMatchObject({ theme: "dark" });
    view.notify("ui/notifications/initialized");
    await view.request("ping");
    expect(view.methods).toEqual(everything);
  },
);

verifies(
  "apps:host:initialize-again",
  "a page that repeats ui/initialize before its initialized notification is answered again, and gets input and result once",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { host, view, errors } = shown;
    const appInfo = { name: "view", version: "1.0.0" };
    const params = { protocolVersion: "2026-01-26", appInfo, appCapabilities: { tools: {}, sampling: {} } };
    await host.run({ team: "A" });

    const [first, second] = await Promise.all([
      view.request("ui/initialize", params),
      view.request("ui/initialize", { ...params, appCapabilities: { sampling: {}, tools: {} } }),
    ]);
    view.notify("ui/notifications/initialized");
    view.notify("ui/notifications/initialized");
    await view.request("ping");

    expect(first.result).toBeDefined();
    expect(second.result).toEqual(first.result);
    expect(view.methods).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
    expect(errors).toEqual([]);
  },
);

verifies(
  "apps:host:initialize-again",
  "a second ui/initialize with other params closes the host, since another document sent it",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { host, view, errors } = shown;
    const params = { protocolVersion: "2026-01-26", appInfo: { name: "view", version: "1.0.0" }, appCapabilities: {} };

    await view.request("ui/initialize", params);
    const { error } = await view.request("ui/initialize", { ...params, appInfo: { name: "other", version: "1.0.0" } });
    await host.closed;

    expect(error).toMatchObject({ code: -32600 });
    expect(errors[0]).toMatchObject({ message: expect.stringContaining("second document") });
  },
);

verifies(
  "apps:host:initialize-loop",
  "the fifth equal ui/initialize of a page is refused, and the host closes",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { host, view, errors } = shown;
    const params = { protocolVersion: "2026-01-26", appInfo: { name: "view", version: "1.0.0" }, appCapabilities: {} };

    for (let handshake = 0; handshake < 4; handshake += 1) {
      expect((await view.request("ui/initialize", params)).result).toBeDefined();
    }
    const { error } = await view.request("ui/initialize", params);
    expect(error).toMatchObject({ code: -32600 });
    await host.closed;

    expect(errors[0]).toMatchObject({ message: expect.stringContaining("ui/initialize") });
  },
);

verifies(
  "apps:host:second-document",
  "a second document in the frame is refused and gets no message, and the host closes",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { host, view, errors } = shown;
    await view.initialize();
    await host.run({ team: "A" });
    await view.heard("ui/notifications/tool-result");

    const { error, result } = await view.initialize();
    await host.closed;
    host.update({ theme: "dark" });

    expect(result).toBeUndefined();
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining("the first document of its frame") });
    expect(view.methods).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-result"]);
    expect(errors[0]).toMatchObject({ code: "connection-closed", message: expect.stringContaining("second document") });
  },
);

verifies(
  "apps:host:second-document",
  "a frame that loads a second document closes the host, although the document sends no handshake",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    const [tool] = (await client.listTools()).tools;
    if (tool === undefined) throw new Error("There is no tool");
    const posted: unknown[] = [];
    const contentWindow = { postMessage: (message: unknown) => void posted.push(message) };
    const frame = Object.assign(new EventTarget(), { contentWindow });
    const errors: Error[] = [];
    const transport = PostMessageTransport.overFrame(frame, { origin: "null", listenOn: new EventTarget() });
    const info = { name: "chat", version: "1.0.0" };
    const host = AppHost.open({ info, client, tool, transport, onError: (error) => errors.push(error) });

    frame.dispatchEvent(new Event("load"));
    expect(errors).toEqual([]);
    frame.dispatchEvent(new Event("load"));
    frame.dispatchEvent(new Event("load"));
    await host.closed;

    await expect(host.ready).rejects.toMatchObject({ code: "connection-closed" });
    expect(errors.map(({ cause }) => (cause as Error).message)).toEqual(["The frame loaded a second document"]);
    expect(posted).toEqual([]);
  },
);
