/** The desk of `npm start`, feature by feature, over HTTP in both eras. */
import { inflateSync } from "node:zlib";
import { Client, type ClientOptions } from "parley-mcp/client";
import { type HttpServerHandle, serveHttp } from "parley-mcp/node";
import { tasks } from "parley-mcp/tasks";
import type { CallToolResult, CompletionReference } from "parley-mcp/types";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDeskServer } from "./desk/desk-server.js";

let http: HttpServerHandle;
let stop: () => void;

beforeEach(async () => {
  const desk = createDeskServer({ tickMs: 20 });
  stop = desk.stop;
  http = await serveHttp(desk.server, { shutdownGraceMs: 0 });
});

afterEach(async () => {
  stop();
  await http.close();
});

test("runs a timer as a task for a client with tasks", async () => {
  await using client = await Client.connect(http.url, { name: "test", version: "1.0.0", extensions: [tasks] });
  const call = { name: "focus_timer", arguments: { seconds: 0.05 } };
  expect((await client.request("tools/call", call)).resultType).toBe("task");
  expect(textOf(await client.callTool("focus_timer", call.arguments))).toBe("0.05 s are over");
});

describe.each(["2025-11-25", "2026-07-28"] as const)("the desk, by %s", (revision) => {
  const connect = (options: Partial<ClientOptions> = {}): Promise<Client> =>
    Client.connect(http.url, { name: "test", version: "1.0.0", revisions: [revision], ...options });

  test("offers tools, resources and prompts", async () => {
    await using client = await connect();
    const names = async (items: AsyncIterable<{ name: string }>) => {
      const found: string[] = [];
      for await (const { name } of items) found.push(name);
      return found;
    };
    expect(await names(client.tools())).toHaveLength(13);
    expect(await names(client.resources())).toEqual(["about", "clock", "status", "welcome", "groceries", "garden"]);
    expect(await names(client.resourceTemplates())).toEqual(["note"]);
    expect(await names(client.prompts())).toEqual(["plan_day", "rewrite_note", "weekly_review"]);
  });

  test("keeps notes: written, found, edited, read", async () => {
    await using client = await connect();
    await using changes = await client.listen({ resources: true });
    const added = await client.callTool("add_note", { title: "Bike: fix it", text: "Flat tire.", tags: ["home"] });
    expect(added.structuredContent).toEqual({
      id: "bike-fix-it",
      title: "Bike: fix it",
      uri: "desk://notes/bike-fix-it",
      tags: ["home"],
    });
    expect(await next(changes)).toEqual({ kind: "resources" });

    await using updates = await client.listen({ resource: ["desk://notes/bike-fix-it"] });
    await client.callTool("edit_note", { id: "bike-fix-it", text: "And the bell.", append: true });
    expect(await next(updates)).toEqual({ kind: "resource", uri: "desk://notes/bike-fix-it" });
    const { contents } = await client.readResource("desk://notes/bike-fix-it");
    expect(contents[0]).toMatchObject({ text: "# Bike: fix it\n\nFlat tire.\nAnd the bell.\n" });

    const found = await client.callTool("find_notes", { query: "bell TIRE" });
    expect(found.structuredContent).toMatchObject({ found: 1, notes: [{ id: "bike-fix-it" }] });
    expect(found.content[1]).toMatchObject({ type: "resource_link", uri: "desk://notes/bike-fix-it" });
  });

  test("tells the model which notes there are when it names another", async () => {
    await using client = await connect();
    const { isError, content } = await client.callTool("summarize_note", { id: "moon" });
    expect(isError).toBe(true);
    expect(content).toEqual([{ type: "text", text: 'There is no note "moon". There are: welcome, groceries, garden' }]);
    await expect(client.readResource("desk://notes/moon")).rejects.toThrow("There is no such note");
  });

  test("has tools for the archive as long as something is in it, and asks before it empties it", async () => {
    let sure = false;
    await using client = await connect({ elicit: () => ({ action: "accept", content: { sure } }) });
    await using changes = await client.listen({ tools: true });
    const archiveTools = async () => {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name).filter((name) => name === "restore_note" || name === "empty_archive");
    };
    await client.callTool("archive_note", { id: "garden" });
    expect(await next(changes)).toEqual({ kind: "tools" });
    expect(await archiveTools()).toEqual(["restore_note", "empty_archive"]);
    await expect(client.readResource("desk://notes/garden")).rejects.toThrow();

    expect(textOf(await client.callTool("restore_note", { id: "garden" }))).toBe("garden is back");
    expect(await next(changes)).toEqual({ kind: "tools" });
    expect(await archiveTools()).toEqual([]);

    await client.callTool("archive_note", { id: "garden" });
    expect(textOf(await client.callTool("empty_archive"))).toBe("The archive stays as it is");
    sure = true;
    expect(textOf(await client.callTool("empty_archive"))).toBe("1 thrown away");
    expect(await archiveTools()).toEqual([]);
  });

  test("plans a meeting by a form, with its defaults, or not at all", async () => {
    let action: "accept" | "decline" = "accept";
    await using client = await connect({ elicit: () => ({ action, content: { day: "2026-12-01" } }) });
    expect(textOf(await client.callTool("plan_meeting", { topic: "roof" }))).toBe(
      "Planned: 2026-12-01, 30 minutes, call. The note is meeting-roof",
    );
    action = "decline";
    expect(textOf(await client.callTool("plan_meeting", { topic: "roof" }))).toBe("No meeting was planned");
    await using plain = await connect();
    await expect(plain.callTool("plan_meeting", { topic: "roof" })).rejects.toThrow("elicitation");
  });

  test("summarizes with the client's model where there is one", async () => {
    await using plain = await connect();
    expect(textOf(await plain.callTool("summarize_note", { id: "garden" }))).toBe("Water the beds on Monday.");
    await using client = await connect({
      sample: ({ messages }) => ({
        role: "assistant",
        model: "a-model",
        content: {
          type: "text",
          text: `A summary of ${JSON.stringify(messages).includes("Order seeds") ? "it" : "?"}`,
        },
      }),
    });
    expect(textOf(await client.callTool("summarize_note", { id: "garden" }))).toBe("A summary of it");
  });

  test("shows the notes as text where there are no pages", async () => {
    await using client = await connect();
    const shown = await client.callTool("show_notes");
    expect(textOf(shown)).toBe("- Welcome\n- Groceries\n- Garden");
    expect(shown.structuredContent).toMatchObject({
      notes: [{ id: "welcome" }, { id: "groceries" }, { id: "garden" }],
    });
  });

  test("reports the progress of a timer, and stops it when the caller does", async () => {
    await using client = await connect();
    const steps: unknown[] = [];
    const over = await client.callTool("focus_timer", { seconds: 0.05 }, { onProgress: (step) => steps.push(step) });
    expect(textOf(over)).toBe("0.05 s are over");
    expect(steps).toHaveLength(5);
    expect(steps.at(-1)).toEqual({ progress: 4, total: 5, message: "0.01 s left" });

    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort() };
    await expect(client.callTool("focus_timer", { seconds: 600 }, options)).rejects.toMatchObject({
      code: "request-aborted",
    });
  });

  test("has readings that change while somebody is subscribed", async () => {
    await using client = await connect();
    await using changes = await client.listen({ resource: ["desk://clock", "desk://status"] });
    const awaited = new Set(["desk://clock", "desk://status"]);
    while (awaited.size > 0) {
      const change = await next(changes);
      expect(change).toMatchObject({ kind: "resource" });
      awaited.delete((change as { uri: string }).uri);
    }
    const { contents } = await client.readResource("desk://status");
    expect(contents[0]).toMatchObject({ mimeType: "application/json", text: expect.stringContaining('"notes":3') });
  });

  test("suggests ids, tags and tones", async () => {
    await using client = await connect();
    const template = { type: "ref/resource", uri: "desk://notes/{id}" } as const;
    const suggest = async (name: string, value: string, ref: CompletionReference) =>
      (await client.complete({ ref, argument: { name, value } })).completion.values;
    expect(await suggest("id", "G", template)).toEqual(["groceries", "garden"]);
    expect(await suggest("focus", "h", { type: "ref/prompt", name: "plan_day" })).toEqual(["home"]);
    expect(await suggest("tone", "p", { type: "ref/prompt", name: "rewrite_note" })).toEqual(["plain", "playful"]);
  });

  test("starts conversations, with notes in them", async () => {
    await using client = await connect();
    const planned = await client.getPrompt("plan_day", { focus: "home" });
    expect(planned.messages[0]?.content).toMatchObject({
      text: expect.stringMatching(/^Plan 8 hours for me around home/),
    });
    const rewritten = await client.getPrompt("rewrite_note", { note: "garden", tone: "formal" });
    expect(rewritten.messages.map(({ content }) => content.type)).toEqual(["resource", "text"]);
    expect((await client.getPrompt("weekly_review")).messages).toHaveLength(4);
  });

  test("logs what it does to those who ask for it", async () => {
    const logged: unknown[] = [];
    const client = new Client({ name: "test", version: "1.0.0", revisions: [revision] });
    client.onNotification("notifications/message", (params) => void logged.push(params));
    await using _closing = client;
    await client.open(http.url);
    if (client.era === "legacy") await client.setLogLevel("info");
    await client.callTool("add_note", { title: "Log", text: "" }, { logLevel: "info" });
    expect(logged).toEqual([{ level: "info", logger: "notes", data: { added: "log" } }]);
  });

  test("tells time, counts words and converts units", async () => {
    await using client = await connect();
    const value = async (tool: string, args: Record<string, unknown>) =>
      (await client.callTool(tool, args)).structuredContent;
    expect(await value("world_clock", { zone: "Asia/Tokyo" })).toMatchObject({ zone: "Asia/Tokyo" });
    expect(await value("convert_units", { value: 100, from: "celsius", to: "fahrenheit" })).toEqual({
      value: 212,
      unit: "fahrenheit",
    });
    expect(await value("convert_units", { value: 3, from: "mile", to: "km" })).toEqual({ value: 4.828, unit: "km" });
    expect(await value("text_statistics", { text: "It rains. Stay in!" })).toMatchObject({ words: 4, sentences: 2 });
    expect(textOf(await client.callTool("convert_units", { value: 1, from: "kg", to: "m" }))).toMatch(/do not measure/);
    expect(textOf(await client.callTool("world_clock", { zone: "Moon" }))).toMatch(/no time zone "Moon"/);
  });

  test("draws a chart whose bars are as tall as their values", async () => {
    await using client = await connect();
    const { content } = await client.callTool("draw_chart", { values: [1, 2] });
    const image = content[1];
    if (image?.type !== "image") throw new Error("expected an image");
    expect(image.mimeType).toBe("image/png");
    const rows = pixelRows(Buffer.from(image.data, "base64"));
    const inkIn = (x: number) => rows.filter((row) => row[x] === 1).length;
    expect([inkIn(0), inkIn(10), inkIn(35)]).toEqual([0, 74, 148]);
  });
});

async function next(changes: AsyncIterable<unknown>): Promise<unknown> {
  // Not `for await`, which would end the subscription.
  return (await changes[Symbol.asyncIterator]().next()).value;
}

function textOf({ content: [block] }: CallToolResult): string {
  return block?.type === "text" ? block.text : "";
}

/** The rows of an image with one byte per pixel and no filter. */
function pixelRows(png: Buffer): Uint8Array[] {
  const width = png.readUInt32BE(16);
  const at = png.indexOf("IDAT");
  const bytes = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  return Array.from({ length: png.readUInt32BE(20) }, (_, y) =>
    bytes.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)),
  );
}
