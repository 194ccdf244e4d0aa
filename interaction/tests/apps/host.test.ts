import { APP_MIME_TYPE, apps, readAppPage, serveApps } from "parley-mcp/apps";
import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { show } from "../../src/apps/scripted-view.js";
import type { Conversation } from "../../src/conversation.js";
import { verifies } from "../../src/verifies.js";

const HTML = "<!doctype html><p>Board</p>";
const csp = { connectDomains: ["https://api.example.com"] };
const text = (value: string) => ({ type: "text", text: value });

/** Tools that were called, in order. */
interface Board {
  readonly client: Client;
  readonly called: string[];
}

async function connectBoard({ connect }: Pick<Conversation, "connect">): Promise<Board> {
  const called: string[] = [];
  const server = new McpServer({ name: "board", version: "1.0.0", onError: () => undefined });
  const ui = serveApps(server);
  const page = ui.page("ui://board/main", { name: "board", html: HTML, csp, permissions: ["camera"] });
  const input = z.object({ team: z.string() });
  ui.tool("show_board", { input, page }, ({ team }) => {
    called.push("show_board");
    return team === "none" ? Promise.reject(new Error("There is no such team")) : `Board of ${team}`;
  });
  ui.tool("move_card", { input: z.object({ card: z.number() }), visibility: ["app"] }, ({ card }) => {
    called.push("move_card");
    return `moved ${card}`;
  });
  ui.tool("delete_board", { visibility: ["model"] }, () => {
    called.push("delete_board");
  });
  server.resource("board://cards", { name: "cards" }, () => "seven cards");
  const client = await connect(server, { extensions: [apps.onClient({ mimeTypes: [APP_MIME_TYPE] })] });
  return { client, called };
}

verifies("apps:host:initialize", "ui/initialize tells host and page who the other one is", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const { tools } = await client.listTools();
  const page = await readAppPage(client, tools[0] as never);
  const yes = () => true;
  const callbacks = { onOpenLink: yes, onMessage: yes, onModelContext: yes, onLog: yes, page };
  await using shown = await show(client, "show_board", { ...callbacks, context: { theme: "dark" } });

  const { result } = await shown.view.initialize({ availableDisplayModes: ["inline"] });

  expect(result).toMatchObject({ protocolVersion: "2026-01-26", hostInfo: { name: "chat", version: "1.0.0" } });
  expect(result?.hostContext).toEqual({ theme: "dark", toolInfo: { tool: tools[0] } });
  const features = [
    "serverTools",
    "serverResources",
    "openLinks",
    "logging",
    "message",
    "updateModelContext",
    "sandbox",
  ];
  expect(Object.keys(result?.hostCapabilities as object)).toEqual(features);
  expect(await shown.host.ready).toEqual({
    info: { name: "view", version: "1.0.0" },
    capabilities: { availableDisplayModes: ["inline"] },
  });
});

verifies("apps:host:run", "run sends the input and the result, or why the call failed", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  await shown.view.initialize();

  const result = await shown.host.run({ team: "A" });

  expect(await shown.view.heard("ui/notifications/tool-input")).toEqual({ arguments: { team: "A" } });
  expect((await shown.view.heard("ui/notifications/tool-result")).content).toEqual([text("Board of A")]);
  expect(result.content).toEqual([text("Board of A")]);

  await using failing = await show(client, "show_board");
  await failing.view.initialize();
  const controller = new AbortController();
  controller.abort(new Error("The user pressed stop"));
  await expect(failing.host.run({ team: "A" }, { signal: controller.signal })).rejects.toThrow();
  const { reason } = await failing.view.heard("ui/notifications/tool-cancelled");
  expect(reason).toContain("tools/call");
  expect(failing.view.methods).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-cancelled"]);
});

verifies("apps:host:run", "run settles as the call does after the host sent the cancellation", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const controller = new AbortController();
  const cases = [
    [{}, (result: Promise<object>) => expect(result).resolves.toMatchObject({ content: [text("Board of A")] })],
    [
      { signal: controller.signal },
      (result: Promise<object>) =>
        expect(result).rejects.toMatchObject({ message: expect.stringContaining("tools/call") }),
    ],
  ] as const;
  controller.abort(new Error("The user pressed stop"));

  for (const [options, settles] of cases) {
    await using shown = await show(client, "show_board");
    await shown.view.initialize();
    await shown.host.ready;
    const running = shown.host.run({ team: "A" }, options);
    shown.host.sendCancelled("The user pressed stop");
    await settles(running);

    await shown.view.request("ping");
    expect(shown.view.methods).toEqual(["ui/notifications/tool-input", "ui/notifications/tool-cancelled"]);
  }
});

verifies("apps:host:order", "a second input, an early outcome and a late one throw an error", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  const { host } = shown;

  expect(() => host.sendResult({ content: [] })).toThrow("call sendInput first");
  host.sendInput({});
  expect(() => host.sendInput({})).toThrow("the input was sent");
  host.sendResult({ content: [] });
  expect(() => host.sendCancelled("late")).toThrow("the outcome was sent");
});

verifies(
  "apps:host:partial-input",
  "partial inputs are sent until the complete one, then throw",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    await using shown = await show(client, "show_board");
    const { host, view } = shown;
    await view.initialize();
    await host.ready;

    host.sendPartialInput({ team: "" });
    host.sendPartialInput({ team: "A" });
    host.sendInput({ team: "AB" });
    await view.heard("ui/notifications/tool-input");

    const sent = view.received.flatMap(({ method, params }) => (method ? [params?.arguments] : []));
    expect(sent).toEqual([{ team: "" }, { team: "A" }, { team: "AB" }]);
    expect(() => host.sendPartialInput({})).toThrow("the complete input was sent");
  },
);

verifies("apps:host:tools", "a page calls tools that are visible to it and no others", async ({ connect }) => {
  const { client, called } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  const { view } = shown;
  await view.initialize();
  const call = (name: unknown, args?: object) => view.request("tools/call", { name, arguments: args });

  expect((await call("move_card", { card: 3 })).result?.content).toEqual([text("moved 3")]);
  expect((await call("show_board", { team: "B" })).result?.content).toEqual([text("Board of B")]);
  for (const name of ["delete_board", "no_such_tool"]) {
    expect((await call(name)).error).toMatchObject({ code: -32602, message: expect.stringContaining(name) });
  }
  expect((await call(7)).error).toMatchObject({ code: -32602, message: expect.stringContaining("params.name") });
  expect(called).toEqual(["move_card", "show_board"]);
});

verifies("apps:host:tools", "a page calls no tool that is missing from the host's list", async ({ connect }) => {
  const { client, called } = await connectBoard({ connect });
  await using shown = await show(client, "show_board", { tools: [] });
  await shown.view.initialize();

  const { error } = await shown.view.request("tools/call", { name: "move_card", arguments: { card: 3 } });

  expect(error).toMatchObject({ code: -32602 });
  expect(called).toEqual([]);
});

verifies("apps:host:resources", "a page reads resources and gets the server's errors", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  await shown.view.initialize();

  const cards = await shown.view.request("resources/read", { uri: "board://cards" });
  const none = await shown.view.request("resources/read", { uri: "board://none" });

  expect(cards.result?.contents).toEqual([{ uri: "board://cards", text: "seven cards" }]);
  expect([-32002, -32602]).toContain(none.error?.code);
  expect(none.error?.data).toEqual({ uri: "board://none" });
  expect(shown.errors).toEqual([]);
});

verifies("apps:host:links", "ui/open-link passes only web and mail URLs to the host", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const opened: string[] = [];
  const onOpenLink = (url: URL) => {
    opened.push(url.href);
    return url.hostname !== "denied.example";
  };
  await using shown = await show(client, "show_board", { onOpenLink });
  await shown.view.initialize();
  const open = (url: string) => shown.view.request("ui/open-link", { url });

  expect((await open("https://board.example/7")).result).toEqual({});
  expect((await open("https://denied.example/")).error).toMatchObject({ code: -32000 });
  for (const url of ["javascript:alert(1)", "file:///etc/passwd", "no url"]) {
    expect((await open(url)).error).toMatchObject({ code: -32000, message: expect.stringContaining("Invalid URL") });
  }
  expect(opened).toEqual(["https://board.example/7", "https://denied.example/"]);

  await using plain = await show(client, "show_board");
  await plain.view.initialize();
  const refused = await plain.view.request("ui/open-link", { url: "https://board.example/" });
  expect(refused.error).toMatchObject({ code: -32000 });
});

verifies(
  ["apps:host:messages", "apps:host:model-context"],
  "ui/message and ui/update-model-context give the host the content as the page sent it",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    const seen: unknown[] = [];
    const take = (given: unknown) => seen.push(given) > 0;
    await using shown = await show(client, "show_board", { onMessage: take, onModelContext: take });
    await shown.view.initialize();

    const answers = [
      await shown.view.request("ui/message", { role: "user", content: text("one") }),
      await shown.view.request("ui/message", { role: "user", content: [text("two"), text("three")] }),
      await shown.view.request("ui/update-model-context", { structuredContent: { card: 7 } }),
    ];

    expect(answers.map(({ result }) => result)).toEqual([{}, {}, {}]);
    expect(seen).toEqual([
      { role: "user", content: [text("one")] },
      { role: "user", content: [text("two"), text("three")] },
      { structuredContent: { card: 7 } },
    ]);
    const system = await shown.view.request("ui/message", { role: "system", content: text("x") });
    expect(system.error).toMatchObject({ code: -32602, message: expect.stringContaining("params.role") });

    await using plain = await show(client, "show_board");
    await plain.view.initialize();
    for (const [method, params] of [
      ["ui/message", { role: "user", content: [] }],
      ["ui/update-model-context", {}],
    ] as const) {
      expect((await plain.view.request(method, params)).error).toMatchObject({ code: -32000 });
    }
  },
);

verifies("apps:host:display-mode", "ui/request-display-mode is answered with the mode in use", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const wanted: string[] = [];
  const context = { availableDisplayModes: ["inline", "fullscreen", "pip"] as const };
  const onDisplayMode = (mode: "inline" | "fullscreen" | "pip") => {
    wanted.push(mode);
    return mode;
  };
  await using shown = await show(client, "show_board", { context, onDisplayMode });
  await shown.view.initialize({ availableDisplayModes: ["inline", "fullscreen"] });
  const ask = async (mode: string) => (await shown.view.request("ui/request-display-mode", { mode })).result;

  expect(await ask("pip")).toEqual({ mode: "inline" });
  expect(await ask("fullscreen")).toEqual({ mode: "fullscreen" });
  expect(shown.host.context.displayMode).toBe("fullscreen");
  expect(wanted).toEqual(["fullscreen"]);

  await using plain = await show(client, "show_board", { context: { displayMode: "pip" }, onDisplayMode });
  await plain.view.initialize();
  const answer = await plain.view.request("ui/request-display-mode", { mode: "inline" });
  expect(answer.result).toEqual({ mode: "pip" });
});

verifies("apps:host:context", "a changed context is sent, and an unsupported mode throws", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  await shown.view.initialize({ availableDisplayModes: ["inline"] });
  await shown.host.ready;

  shown.host.update({ theme: "light", locale: "it-IT" });

  expect(await shown.view.heard("ui/notifications/host-context-changed")).toEqual({
    theme: "light",
    locale: "it-IT",
  });
  expect(() => shown.host.update({ displayMode: "fullscreen" })).toThrow('does not support "fullscreen", only inline');
  expect(shown.host.context).toMatchObject({ theme: "light", locale: "it-IT" });
});

verifies(
  ["apps:host:size", "apps:host:log"],
  "size changes reach the host within the bounds of its container, log messages reach onLog, and malformed ones are reported",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    const seen: unknown[] = [];
    const take = (given: unknown) => void seen.push(given);
    const context = { containerDimensions: { width: 300, maxHeight: 600 } };
    await using shown = await show(client, "show_board", { onSizeChanged: take, onLog: take, context });
    const { view } = shown;
    await view.initialize();

    view.notify("ui/notifications/size-changed", { width: 400, height: 9_000 });
    view.notify("ui/notifications/size-changed", { height: -1 });
    view.notify("notifications/message", { level: "info", data: "ready" });
    view.notify("notifications/message", { level: "loud", data: "ready" });
    await view.request("ping");

    expect(seen).toEqual([
      { width: 300, height: 600 },
      { level: "info", data: "ready" },
    ]);
    expect(shown.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("size-changed of the page: params.height"),
      expect.stringContaining("message of the page: params.level"),
    ]);

    await using plain = await show(client, "show_board");
    plain.view.notify("ui/notifications/size-changed", { width: 400 });
    plain.view.notify("notifications/message", { level: "info", data: 1 });
    await plain.view.request("ping");
    expect(plain.errors).toEqual([]);
  },
);

verifies("apps:host:unknown", "a page that uses unknown methods and notifications goes on", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  await shown.view.initialize();

  shown.view.notify("ui/notifications/made-up");
  const unknown = await shown.view.request("ui/made-up");

  expect(unknown.error).toMatchObject({ code: -32601 });
  expect((await shown.view.request("ping")).result).toEqual({});
  expect(shown.errors).toEqual([]);
});

verifies("apps:host:unknown", "methods named like members of every object are unknown too", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  await shown.view.initialize();

  for (const method of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    shown.view.notify(method);
    expect((await shown.view.request(method)).error).toMatchObject({ code: -32601 });
  }
  expect(shown.errors).toEqual([]);
});

verifies("apps:host:teardown", "close waits within teardownMs for a page that initialized", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using polite = await show(client, "show_board");
  await using silent = await show(client, "show_board", { teardownMs: 1 });
  await using absent = await show(client, "show_board");
  silent.view.answers = false;
  for (const { host, view } of [polite, silent]) {
    await view.initialize();
    await host.ready;
  }

  await Promise.all([
    polite.host.close("The user left"),
    polite.host.close(),
    silent.host.close(),
    absent.host.close(),
  ]);

  expect(await polite.view.heard("ui/resource-teardown")).toEqual({ reason: "The user left" });
  expect(polite.view.methods).toEqual(["ui/resource-teardown"]);
  expect(silent.errors).toEqual([expect.objectContaining({ code: "request-timeout" })]);
  expect(absent.view.methods).toEqual([]);
  await expect(absent.host.ready).rejects.toMatchObject({ code: "connection-closed" });
});

verifies("apps:host:sandbox", "a ready sandbox gets the page once, or nothing without one", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const page = await readAppPage(client, (await client.listTools()).tools[0] as never);
  await using shown = await show(client, "show_board", { page, sandbox: "allow-scripts allow-forms" });
  await using plain = await show(client, "show_board", { page });
  await using strict = await show(client, "show_board", { page, sandbox: "" });
  await using bare = await show(client, "show_board");

  for (const { view } of [shown, plain, strict, bare]) {
    view.notify("ui/notifications/sandbox-proxy-ready");
    view.notify("ui/notifications/sandbox-proxy-ready");
    await view.request("ping");
  }

  const wishes = { html: HTML, csp: page.csp, permissions: { camera: {} } };
  const sent = await shown.view.heard("ui/notifications/sandbox-resource-ready");
  expect(sent).toEqual({ ...wishes, sandbox: "allow-scripts allow-forms" });
  expect(await plain.view.heard("ui/notifications/sandbox-resource-ready")).toEqual(wishes);
  expect(await strict.view.heard("ui/notifications/sandbox-resource-ready")).toEqual({ ...wishes, sandbox: "" });
  expect(shown.view.methods).toHaveLength(1);
  expect(bare.view.methods).toEqual([]);
});

verifies("apps:host:bounded", "a page over maxRequests is refused until a request ends", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  let release = (): void => undefined;
  const held = new Promise<boolean>((resolve) => {
    release = () => resolve(true);
  });
  await using shown = await show(client, "show_board", { maxRequests: 2, onMessage: () => held });
  await shown.view.initialize();
  const message = { role: "user", content: text("hello") };

  const served = [shown.view.request("ui/message", message), shown.view.request("ui/message", message)];
  const refused = await shown.view.request("ui/message", message);
  release();

  expect(refused.error?.message).toContain("Too many requests in progress");
  expect((await Promise.all(served)).map(({ result }) => result)).toEqual([{}, {}]);
});

verifies("apps:host:rates", "a page over its rate gets 429, and the host does nothing", async ({ connect }) => {
  const { client, called } = await connectBoard({ connect });
  const approved: string[] = [];
  const rateLimits = { "tools/call": { perSecond: 0.001, burst: 2 } };
  const approve = ({ method }: { method: string }) => approved.push(method) > 0;
  await using shown = await show(client, "show_board", { rateLimits, approve });
  await shown.view.initialize();
  const call = () => shown.view.request("tools/call", { name: "show_board", arguments: { team: "A" } });

  const answers = [await call(), await call(), await call()];

  expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, 429]);
  expect(answers[2]?.error?.message).toContain("Too many requests for tools/call");
  expect(called).toEqual(["show_board", "show_board"]);
  expect(approved).toEqual(["tools/call", "tools/call"]);
  expect((await shown.view.request("resources/read", { uri: "board://cards" })).error).toBeUndefined();
});

verifies("apps:host:rates", "a page has rates by default, and none if the host lifts them", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const message = { role: "user", content: text("hello") };
  const refusedOf = async (options: object) => {
    await using shown = await show(client, "show_board", { onMessage: () => true, ...options });
    await shown.view.initialize();
    const answers = Array.from({ length: 30 }, () => shown.view.request("ui/message", message));
    return (await Promise.all(answers)).filter(({ error }) => error?.code === 429).length;
  };

  expect(await refusedOf({})).toBeGreaterThan(0);
  expect(await refusedOf({ rateLimits: false })).toBe(0);
  await expect(refusedOf({ rateLimits: { "ui/message": { perSecond: 0 } } })).rejects.toThrow("ui/message");
});

verifies("apps:host:rates", "log messages above their rate are dropped and reported once", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  const logged: unknown[] = [];
  const reports: string[] = [];
  const rateLimits = { "notifications/message": { perSecond: 0.001, burst: 2 } };
  const onLog = ({ data }: { data: unknown }) => void logged.push(data);
  const onError = ({ message }: Error) => void reports.push(message);
  await using shown = await show(client, "show_board", { rateLimits, onLog, onError });
  await shown.view.initialize();

  for (const data of [1, 2, 3, 4]) shown.view.notify("notifications/message", { level: "info", data });
  await shown.view.request("ping");

  expect(logged).toEqual([1, 2]);
  expect(reports).toEqual(["Log messages of the page are dropped"]);
});

verifies("apps:host:reports", "a page that posts junk in a loop is reported a few times", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  const { view, errors } = shown;
  await view.initialize();

  for (let count = 0; count < 1_000; count += 1) {
    view.post("junk");
    view.notify("ui/notifications/size-changed", { height: "tall" });
  }
  await view.request("ping");

  expect(errors.length).toBeLessThan(200);
  expect(errors.filter(({ message }) => message.startsWith("More than 10 errors per second"))).toHaveLength(1);
});

verifies("apps:transport:malformed", "a posted value that is no valid message is reported", async ({ connect }) => {
  const { client } = await connectBoard({ connect });
  await using shown = await show(client, "show_board");
  const { view, errors } = shown;
  const itself: Record<string, unknown> = { jsonrpc: "2.0", id: 1, method: "ping" };
  itself.params = { itself };
  let doubled: unknown[] = ["x".repeat(64)];
  for (let level = 0; level < 64; level += 1) doubled = [doubled, doubled];

  for (const value of ["text", { type: "webpackOk" }, null]) view.post(value);
  for (const params of [{ big: 7n }, { doubled }]) view.post({ jsonrpc: "2.0", method: "x", params });
  view.post(itself);

  expect((await view.request("ping")).result).toEqual({});
  expect(errors.map(({ message }) => message).filter((message) => message.includes("posted message"))).toHaveLength(3);
  expect(view.received.filter(({ error }) => error?.code === -32600)).toHaveLength(3);
});
