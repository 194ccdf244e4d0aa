/** Servers that answer garbage, never answer, or answer for ever: a run ends with verdicts or with a reason. */
import { expect, test } from "vitest";
import { CHECK_AREAS } from "./checks/index.js";
import { maskFor } from "./judge/evidence.js";
import type { Report } from "./judge/report.js";
import { runChecks } from "./judge/runner.js";
import { runScripted } from "./mutants/run-scripted.fixture.js";
import { ScriptedHttp } from "./mutants/scripted-http.fixture.js";
import { ScriptedServer } from "./mutants/scripted-server.fixture.js";
import { StdioTarget } from "./target/stdio-target.js";
import { boundExchange, UrlTarget } from "./target/url-target.js";
import { DEFAULT_LIMITS, type HttpReply, type SendHttp } from "./wire/http-exchange.js";
import { lineProcess, type OpenPipe } from "./wire/line-process.js";

const LIMITS = { ...DEFAULT_LIMITS, timeoutMs: 20, lingerMs: 2, maxReplyBytes: 10_000 };

function runHttp(send: SendHttp): Promise<Report> {
  const target = new UrlTarget({
    url: "http://127.0.0.1:3000/mcp",
    exchange: boundExchange(send, LIMITS),
    headers: {},
  });
  return run(target);
}

function run(target: UrlTarget | StdioTarget): Promise<Report> {
  return runChecks(target, { areas: CHECK_AREAS, permissions: { calls: [], allowReadOnly: true }, mask: maskFor([]) });
}

async function* endless(text: string): AsyncGenerator<Uint8Array> {
  for (;;) yield new TextEncoder().encode(text);
}

function reply(body: AsyncIterable<Uint8Array>, type = "application/json"): Promise<HttpReply> {
  return Promise.resolve({ status: 200, headers: { "content-type": type }, body });
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** An answer whose id is nested deeper than recursive functions reach. */
function deepAnswer(depth: number): string {
  return `{"jsonrpc":"2.0","id":${"[".repeat(depth)}${"]".repeat(depth)},"result":{}}`;
}

/** A server that is right until it has been found out what it speaks. */
function turning(into: SendHttp): SendHttp {
  const good = new ScriptedHttp(new ScriptedServer()).send;
  let count = 0;
  return (call, signal) => {
    count += 1;
    return count < 40 ? good(call, signal) : into(call, signal);
  };
}

const HOSTILE: readonly (readonly [string, SendHttp])[] = [
  ["never answers", () => new Promise(() => undefined)],
  ["breaks every connection", () => Promise.reject(new Error("socket hang up"))],
  ["answers without end", () => reply(endless("{"))],
  ["streams without end", () => reply(endless("data: {}\n\n"), "text/event-stream")],
  ["answers garbage", () => reply(once("\u0000\u0001<html>"))],
  ["answers null", () => reply(once("null"))],
  ["answers deep JSON", () => reply(once("[".repeat(5000)))],
  ["answers with an id of deep JSON", () => reply(once(deepAnswer(4000)))],
  ["answers a result that is a list", () => reply(once('{"jsonrpc":"2.0","id":1,"result":[]}'))],
];

test.each(HOSTILE)("a server that %s cannot be run, and the reason is told", async (_what, send) => {
  await expect(runHttp(send)).rejects.toThrow(/answers neither server\/discover nor initialize/);
});

test.each(HOSTILE)("a server that %s after a while gets a verdict for every check", async (_what, send) => {
  const { findings } = await runHttp(turning(send));

  expect(findings.length).toBeGreaterThan(700);
  expect(findings.filter(({ reason }) => reason?.includes("the check itself failed"))).toEqual([]);
  expect(findings.some(({ outcome }) => outcome !== "passed")).toBe(true);
});

test.each([
  ["exits at once", lineProcess(process.execPath, ["-e", "process.exit(3)"], {}), /exited with 3/],
  ["cannot be started", lineProcess("parley-check-no-such-program", [], {}), /could not be started/],
  [
    "says why it fails",
    lineProcess(process.execPath, ["-e", "console.error('no database'); process.exit(1)"], {}),
    /no database/,
  ],
])("a program that %s cannot be run, and the reason is told", async (_what, open: OpenPipe, reason) => {
  await expect(run(new StdioTarget("program", open, { ...LIMITS, timeoutMs: 5000 }))).rejects.toThrow(reason);
});

test("a list of more tools than a function takes arguments is read", async () => {
  const many = `"tools":[${Array.from({ length: 200_000 }, () => "{}").join()}]`;
  const good = new ScriptedHttp().send;
  const send: SendHttp = async (call, signal) => {
    const answer = await good(call, signal);
    if (!call.body?.includes('"tools/list"')) return answer;
    let text = "";
    for await (const piece of answer.body) text += new TextDecoder().decode(piece);
    return { ...answer, body: once(text.replace(/"tools":\[.*\](?=[,}])/, many)) };
  };
  const target = new UrlTarget({
    url: "http://127.0.0.1:3000/mcp",
    exchange: boundExchange(send, { ...DEFAULT_LIMITS, lingerMs: 2 }),
    headers: {},
  });

  const { findings } = await runChecks(target, {
    areas: CHECK_AREAS.filter(({ area }) => area === "discovery"),
    permissions: { calls: [], allowReadOnly: false },
    mask: maskFor([]),
    revisions: ["2026-07-28"],
  });

  expect(findings.some(({ outcome }) => outcome === "passed")).toBe(true);
});

test("pages without end are not read after the time of a run", async () => {
  const good = new ScriptedHttp().send;
  let pages = 0;
  const send: SendHttp = async (call, signal) => {
    if (!call.body?.includes('/list"')) return good(call, signal);
    pages += 1;
    const { id } = JSON.parse(call.body) as { id: number };
    return reply(once(JSON.stringify({ jsonrpc: "2.0", id, result: { nextCursor: String(pages) } })));
  };
  const target = new UrlTarget({
    url: "http://127.0.0.1:3000/mcp",
    exchange: boundExchange(send, DEFAULT_LIMITS),
    headers: {},
  });
  const permissions = { calls: [], allowReadOnly: false };

  await runChecks(target, { areas: CHECK_AREAS, permissions, mask: maskFor([]), maxRunMs: 0 });

  expect(pages).toBe(0);
});

test("a run whose time is over observes nothing more", async () => {
  const target = new UrlTarget({
    url: "http://127.0.0.1:3000/mcp",
    exchange: boundExchange(new ScriptedHttp(new ScriptedServer()).send, LIMITS),
    headers: {},
  });
  const permissions = { calls: [], allowReadOnly: false };

  const { findings } = await runChecks(target, { areas: CHECK_AREAS, permissions, mask: maskFor([]), maxRunMs: 0 });

  expect(new Set(findings.map(({ reason }) => reason))).toEqual(
    new Set(["the time of the run is over; --max-time allows more"]),
  );
});

test("a program that floods its output is cut off", async () => {
  const flood: OpenPipe = ({ onLine }) => ({
    write: () => {
      for (let count = 0; count < 20_000; count += 1) onLine("{}");
    },
    endInput: () => undefined,
    kill: () => undefined,
  });

  await expect(run(new StdioTarget("flood", flood, LIMITS))).rejects.toThrow(/floods its output/);
});

test("every program has ended after a run that throws", async () => {
  const running = new Set<unknown>();
  let opened = 0;
  const counted =
    (open: OpenPipe): OpenPipe =>
    (handlers) => {
      const pipe = open(handlers);
      running.add(pipe);
      opened += 1;
      const kill = () => {
        running.delete(pipe);
        pipe.kill();
      };
      const write = (text: string) => {
        if (text.includes('"tools/list"')) throw new Error("broken pipe");
        pipe.write(text);
      };
      return { ...pipe, write, kill };
    };

  await expect(runScripted({ kind: "stdio", wrap: counted })).rejects.toThrow("broken pipe");
  expect([opened > 0, running.size]).toEqual([true, 0]);
});

/** A server whose `skills/list` answers with this page for a cursor. */
function listingSkills(pageOf: (cursor: unknown) => string): { send: SendHttp; asked: () => number } {
  const good = new ScriptedHttp().send;
  let asked = 0;
  const send: SendHttp = (call, signal) => {
    if (!call.body?.includes('"skills/list"')) return good(call, signal);
    asked += 1;
    const { id, params } = JSON.parse(call.body) as { id: number; params: { cursor?: unknown } };
    return reply(once(`{"jsonrpc":"2.0","id":${id},"result":${pageOf(params.cursor)}}`));
  };
  return { send, asked: () => asked };
}

async function skillFindings(send: SendHttp): Promise<Report["findings"]> {
  const target = new UrlTarget({
    url: "http://127.0.0.1:3000/mcp",
    exchange: boundExchange(send, { ...DEFAULT_LIMITS, lingerMs: 2 }),
    headers: {},
  });
  const { findings } = await runChecks(target, {
    areas: CHECK_AREAS.filter(({ area }) => area === "skills"),
    permissions: { calls: [], allowReadOnly: false },
    mask: maskFor([]),
    revisions: ["2026-07-28"],
  });
  expect(findings.filter(({ reason }) => reason?.includes("the check itself failed"))).toEqual([]);
  return findings;
}

test("endless pages of skills are read up to a limit, in time that grows with them", { timeout: 30_000 }, async () => {
  const { send, asked } = listingSkills((cursor) => {
    const page = Number(cursor ?? 0);
    const entries = Array.from({ length: 60_000 }, (_, index) => `{"uri":"${page * 60_000 + index}"}`);
    return `{"skills":[${entries.join()}],"nextCursor":"${page + 1}"}`;
  });

  const findings = await skillFindings(send);

  expect(findings.find(({ check }) => check === "skills-list-once")).toMatchObject({ outcome: "passed" });
  expect(asked()).toBeLessThan(10);
});

test("a page of more skills than a function takes arguments is read", async () => {
  const { send } = listingSkills(() => `{"skills":[${Array.from({ length: 200_000 }, () => "{}").join()}]}`);

  const findings = await skillFindings(send);

  expect(findings.find(({ check }) => check === "skills-list-once")).toMatchObject({ outcome: "passed" });
});

test("pages of skills are read until a cursor comes again", async () => {
  const { send, asked } = listingSkills((cursor) => `{"skills":[{"uri":"${cursor}"}],"nextCursor":"again"}`);

  const findings = await skillFindings(send);

  expect(findings.find(({ check }) => check === "skills-list-once")).toMatchObject({ outcome: "passed" });
  expect(asked()).toBe(2);
});
