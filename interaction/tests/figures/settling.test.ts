/**
 * Every pending request settles within its timeout plus one second. The second is counted by a timer of the same event
 * loop, which a busy machine delays no less than the one it is compared with.
 */
import { Client, type ClientOptions, type ConnectTarget } from "parley-mcp/client";
import type { Revision } from "parley-requirements";
import { expect } from "vitest";
import { MISBEHAVIORS, SilentPeer } from "../../src/faults/silent-peers.js";
import { RawHttpServer } from "../../src/http/raw-http-server.js";
import { scriptProgram } from "../../src/stdio/raw-lines.js";
import { type Body, type VerifiesOptions, verifies } from "../../src/verifies.js";

const TIMEOUT_MS = 200;
const GRACE_MS = 1_000;
const SLOW = { deadlineMs: 30_000 };
/** Chance decides which calls are written down before their peer is gone. */
const UNJUDGED: VerifiesOptions = { ...SLOW, judge: "not-written-down" };

function optionsFor(revision: Revision): ClientOptions {
  return { name: "patient", version: "1.0.0", revision, onError: () => undefined };
}

/** "late", or how the call ended. */
async function outcomeOf(act: () => Promise<unknown>): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("late"), TIMEOUT_MS + GRACE_MS);
  });
  const settled = act().then(
    () => "answered",
    (error: { code: string }) => error.code,
  );
  const outcome = await Promise.race([settled, late]);
  clearTimeout(timer);
  return outcome;
}

/** What a call may reject with when no answer comes. */
const UNANSWERED: unknown = expect.stringMatching(/^(?:request-timeout|connection-closed|stream-ended)$/);

function callsSettle(revision: Revision, path: "/mcp" | "/sse"): Body {
  return async () => {
    const outcomes = Object.entries(MISBEHAVIORS).map(async ([name, misbehave]) => {
      await using peer = await SilentPeer.start(misbehave);
      const client = await Client.connect({ url: peer.urlOf(path), closeTimeoutMs: 100 }, optionsFor(revision));
      const outcome = await outcomeOf(() => client.callTool("work", {}, { timeoutMs: TIMEOUT_MS }));
      await client.close();
      return [name, outcome] as const;
    });
    const expected = Object.keys(MISBEHAVIORS).map((name) => [name, UNANSWERED]);
    expect(Object.fromEntries(await Promise.all(outcomes))).toEqual(Object.fromEntries(expected));
  };
}

verifies(
  "figures:settling:modern",
  "a modern call over HTTP settles in time, however its answer stays away",
  UNJUDGED,
  callsSettle("2026-07-28", "/mcp"),
);
verifies(
  "figures:settling:legacy",
  "a call in a session settles in time, however its answer stays away",
  UNJUDGED,
  callsSettle("2025-11-25", "/mcp"),
);
verifies(
  "figures:settling:sse",
  "a call over HTTP+SSE settles in time, however its answer stays away",
  UNJUDGED,
  callsSettle("2024-11-05", "/sse"),
);

/** Programs that never answer; each says so once it is ready not to. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "reads and says nothing": 'process.stdin.resume(); tell("ready");',
  "does not read": 'setInterval(() => {}, 1000); tell("ready");',
  "has stopped":
    'process.stdin.resume(); tell("ready"); process.stdin.once("data", () => process.kill(process.pid, "SIGSTOP"));',
  "dies within a line": `tell("ready"); process.stdin.once("data", () => {
    require("fs").writeSync(1, '{"jsonrpc":'); process.kill(process.pid, "SIGKILL");
  });`,
  "closes its output": 'tell("ready"); process.stdin.once("data", () => process.stdout.destroy());',
  "says half a line": `tell("ready"); process.stdin.once("data", () => process.stdout.write('{"jsonrpc":'));`,
  "makes noise": 'tell("ready"); process.stdin.once("data", () => setInterval(() => console.log("noise"), 10));',
};

verifies(
  "figures:settling:stdio",
  "a call settles in time, whatever a program does instead of answering",
  SLOW,
  async () => {
    const outcomes = Object.entries(PROGRAMS).map(async ([name, script]) => {
      const client = new Client({ ...optionsFor("2026-07-28"), reconnect: false });
      const ready = new Promise((resolve) => client.onNotification("ready", resolve));
      await client.open({ ...scriptProgram(script), stderr: "ignore", exitGraceMs: 1, killGraceMs: 1 });
      await ready;
      // More than a pipe takes: what is not read is not written either.
      const calls = ["x", "x".repeat(1_000_000)].map((text) =>
        outcomeOf(() => client.callTool("work", { text }, { timeoutMs: TIMEOUT_MS })),
      );
      const settled = await Promise.all(calls);
      await client.close();
      return [name, settled] as const;
    });
    const expected = Object.keys(PROGRAMS).map((name) => [name, [UNANSWERED, UNANSWERED]]);
    expect(Object.fromEntries(await Promise.all(outcomes))).toEqual(Object.fromEntries(expected));
  },
);

verifies(
  "figures:settling:opening",
  "connecting to a server that never answers ends in time, in each way of opening",
  SLOW,
  async () => {
    await using server = await RawHttpServer.start(["GET"]);
    const silent = scriptProgram("process.stdin.resume();");
    const targets: ConnectTarget[] = [
      { url: server.url, closeTimeoutMs: 100 },
      { ...silent, stderr: "ignore", exitGraceMs: 1, killGraceMs: 1 },
    ];
    const connect = (target: ConnectTarget, revision: Revision) => {
      const limits = { timeoutMs: TIMEOUT_MS, probeTimeoutMs: TIMEOUT_MS };
      return Client.connect(target, { name: "patient", version: "1.0.0", revisions: [revision], ...limits });
    };
    const revisions: Revision[] = ["2026-07-28", "2025-11-25"];
    const opened = targets.flatMap((target) => revisions.map((one) => outcomeOf(() => connect(target, one))));
    const outcome: unknown = expect.stringMatching(/^(?:request-timeout|no-shared-revision)$/);
    expect(await Promise.all(opened)).toEqual(new Array(4).fill(outcome));
  },
);
