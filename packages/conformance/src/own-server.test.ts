/** The SDK of this repository, checked over sockets and pipes. Tests alone import it: the checker never does. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { McpServer } from "parley-mcp";
import { InMemoryEventStore, serveHttp, serveStdio } from "parley-mcp/node";
import { serveTasks } from "parley-mcp/tasks";
import { expect, test } from "vitest";
import { CHECK_AREAS } from "./checks/index.js";
import { runCommand } from "./cli/command.js";
import { maskFor } from "./judge/evidence.js";
import { type Report, tallyOf } from "./judge/report.js";
import { runChecks } from "./judge/runner.js";
import { SseTarget } from "./target/sse-target.js";
import { StdioTarget } from "./target/stdio-target.js";
import type { Target } from "./target/target.js";
import { boundExchange, UrlTarget } from "./target/url-target.js";
import { DEFAULT_LIMITS } from "./wire/http-exchange.js";
import type { OpenPipe } from "./wire/line-process.js";
import { nodeHttp } from "./wire/node-http.js";

function createServer(): McpServer {
  const server = new McpServer({
    tasks: serveTasks(),
    name: "own",
    version: "1.0.0",
    pageSize: 2,
    capabilities: { logging: {} },
    onError: () => undefined,
  });
  const text = { type: "string" };
  const input = {
    type: "object",
    properties: { text, region: { ...text, "x-mcp-header": "Region" } },
    required: ["text"],
  } as const;
  server.tool("echo", { input, annotations: { readOnlyHint: true } }, ({ text: said }) => String(said));
  const output = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] } as const;
  server.tool("weather", { output, annotations: { readOnlyHint: true } }, () => ({ celsius: 7 }));
  server.tool("noisy", { annotations: { readOnlyHint: true } }, async (_input, context) => {
    for (const step of [1, 2, 3]) await context.progress(step, 3);
    context.log.debug("quiet");
    context.log.error("loud");
    return "done";
  });
  server.tool("ask", {}, async (_input, context) => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
    const { content } = await context.elicit({ message: "Your name?", schema });
    return `Hello, ${content?.name}`;
  });
  server.tool("job", { task: { mode: "required", pollIntervalMs: 10 } }, () => "done");
  server.resource("note://text", { name: "text", mimeType: "text/plain" }, () => "hello");
  server.resource("note://blob", { name: "blob" }, () => new Uint8Array([1, 2, 3]));
  server.resource("note://more", { name: "more" }, () => "more");
  server.resourceTemplate("day://{date}", { name: "day" }, ({ variables }) => String(variables.date));
  server.prompt("hello", {}, () => "Hello");
  server.prompt(
    "greet",
    { input: { type: "object", properties: { name: text }, required: ["name"] }, complete: { name: () => ["Ada"] } },
    () => "Hello",
  );
  return server;
}

const CALLS = [
  { name: "echo", arguments: { text: "hello", region: "north" } },
  { name: "weather", arguments: {} },
  { name: "ask", arguments: {} },
  { name: "job", arguments: {} },
  { name: "noisy", arguments: {} },
];

function check(target: Target): Promise<Report> {
  return runChecks(target, {
    areas: CHECK_AREAS,
    permissions: { calls: CALLS, allowReadOnly: false },
    mask: maskFor([]),
  });
}

function red({ findings }: Report): string[] {
  return findings
    .filter(({ outcome, reason }) => outcome === "failed" || reason?.startsWith("the check itself"))
    .map(
      ({ check: id, revision, expected, got, reason }) =>
        `${id} ${revision}: ${reason ?? `expected ${expected}, got ${got}`}`,
    );
}

function passed({ findings }: Report): string[] {
  return findings.filter(({ outcome }) => outcome === "passed").map(({ check: id }) => id);
}

test("the server of this repository fails no check over HTTP", async () => {
  const http = await serveHttp(createServer(), { port: 0, legacy: { eventStore: new InMemoryEventStore() } });
  const url = String(http.url);
  const exchange = boundExchange(nodeHttp(new URL(url)), { ...DEFAULT_LIMITS, lingerMs: 20 });

  const report = await check(new UrlTarget({ url, exchange, headers: {} }));
  await http.close();

  expect(red(report)).toEqual([]);
  expect(report.claimed).toEqual(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
  expect(tallyOf(report.findings).passed).toBeGreaterThan(700);
  expect(passed(report)).toEqual(expect.arrayContaining(["round-completes", "task-result", "task-found"]));
});

test("the server of this repository fails no check over lines", async () => {
  const openPipe: OpenPipe = ({ onLine, onEnd }) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStdio(createServer(), { input, output });
    void served.then(({ closed }) => closed).then(() => onEnd("the program exited with 0"));
    let rest = "";
    output.setEncoding("utf8").on("data", (piece: string) => {
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine(line);
    });
    return {
      write: (line) => void input.write(line),
      endInput: () => void input.end(),
      kill: () => void input.destroy(),
    };
  };

  const report = await check(new StdioTarget("own", openPipe, DEFAULT_LIMITS));

  expect(red(report)).toEqual([]);
  expect(report.claimed).toContain("2024-11-05");
});

test("the server of this repository fails no check over HTTP+SSE", async () => {
  const http = await serveHttp(createServer(), { port: 0, legacy: { sse: true } });
  const url = String(new URL("/sse", http.url));
  const limits = { ...DEFAULT_LIMITS, lingerMs: 20 };
  const exchange = boundExchange(nodeHttp(new URL(url)), limits);

  const report = await check(new SseTarget({ url, exchange, headers: {} }, limits));
  await http.close();

  expect(red(report)).toEqual([]);
  expect(report.checked).toEqual(["2024-11-05"]);
  expect(passed(report)).toEqual(expect.arrayContaining(["sse-endpoint-first", "sse-unknown-session"]));
});

test("the command finds out that a URL is that of HTTP+SSE, or is told so", async () => {
  await using http = await serveHttp(createServer(), { port: 0, legacy: { sse: true } });
  const url = String(new URL("/sse", http.url));
  const run = async (...options: readonly string[]) => {
    let output = "";
    const print = (text: string) => {
      output += text;
    };
    const argv = [url, "--only", "http-sse", "--format", "json", ...options];
    const code = await runCommand({ argv, env: {}, print, complain: print, isTerminal: false });
    return { code, output };
  };

  const found = await run();
  const told = await run("--sse");

  expect(JSON.parse(found.output)).toMatchObject({ kind: "sse", checked: ["2024-11-05"] });
  expect(found.code).toBe(0);
  expect(JSON.parse(told.output)).toMatchObject({ kind: "sse" });
});

test.each([
  ["HTTP+SSE", "/sse"],
  ["HTTP", "/mcp"],
])("a recording over %s is judged again without the server", async (_what, path) => {
  const file = join(mkdtempSync(join(tmpdir(), "parley-check-")), "run.jsonl");
  const run = async (...argv: string[]) => {
    let output = "";
    const print = (text: string) => {
      output += text;
    };
    await runCommand({ argv, env: process.env, print, complain: print, isTerminal: false });
    const { findings, kind } = JSON.parse(output) as Report;
    return { kind, verdicts: findings.map(({ check: id, outcome }) => `${id} ${outcome}`) };
  };
  const options = ["--format", "json", "--call", "weather={}", "--call", "ask={}"];
  const http = await serveHttp(createServer(), { port: 0, legacy: { sse: true } });
  const live = await run(String(new URL(path, http.url)), "--record", file, ...options);
  await http.close();

  const replayed = await run("replay", file, ...options);

  expect(live.verdicts.length).toBeGreaterThan(100);
  expect(replayed).toEqual(live);
});
