/** Verdicts that depend on more than one sentence: answers that other revisions allow, and silence that proves nothing. */
import { expect, test } from "vitest";
import { tasks } from "../checks/tasks.js";
import { Probe } from "../judge/probe.js";
import type { Finding } from "../judge/report.js";
import { StdioTarget } from "../target/stdio-target.js";
import type { TargetKind } from "../target/target.js";
import { DEFAULT_LIMITS } from "../wire/http-exchange.js";
import { isObject } from "../wire/json-rpc.js";
import { type LinePipe, LineSplitter, type OpenPipe } from "../wire/line-process.js";
import { resultsOf } from "./fault-makers.fixture.js";
import { runScripted } from "./run-scripted.fixture.js";
import { scriptedPipe } from "./scripted-pipe.fixture.js";
import type { Fault, Setup } from "./scripted-server.fixture.js";
import { ScriptedServer } from "./scripted-server.fixture.js";

interface Case {
  readonly fault?: Fault;
  readonly setup?: Setup;
  readonly revision: "2025-06-18" | "2025-11-25" | "2026-07-28";
  readonly kind?: TargetKind;
}

async function verdict(check: string, { fault = {}, setup = {}, revision, kind = "http" }: Case): Promise<Finding> {
  const { findings } = await runScripted({ fault, setup, revisions: [revision], kind });
  const found = findings.find((finding) => finding.check === check);
  if (!found) throw new Error(`${check} did not run`);
  return found;
}

/** A server that refuses what it does not accept with a code of its own. */
function recoding(from: number, to: number): Fault {
  return {
    change: ({ messages }) => {
      for (const message of messages as { error?: { code: number } }[])
        if (message.error?.code === from) message.error.code = to;
    },
  };
}

const foreign400: Fault = {
  change: (reply, { headers }) => {
    if (headers.origin !== undefined) reply.status = 400;
  },
};

test("a foreign origin may be refused with any error status before 2025-11-25", async () => {
  const older = await verdict("foreign-origin-post", { fault: foreign400, revision: "2025-06-18" });
  const newer = await verdict("foreign-origin-post", { fault: foreign400, revision: "2025-11-25" });

  expect([older.outcome, newer.outcome]).toEqual(["passed", "failed"]);
});

test("another code than that of JSON-RPC is a warning, and serving what is no message a failure", async () => {
  const revision = "2025-11-25";
  const recoded = await verdict("frame-object", { fault: recoding(-32600, -32700), revision });
  const served = await verdict("frame-without-version", { fault: { without: ["jsonrpc"] }, revision });

  expect([recoded.outcome, recoded.severity]).toEqual(["failed", "warning"]);
  expect([served.outcome, served.severity]).toEqual(["failed", "failure"]);
});

test("a refusal over HTTP needs no body, and silence over pipes is a warning", async () => {
  const bodiless: Fault = {
    change: (reply, { message }) => {
      if (reply.status === 400 && message?.method === undefined) reply.messages = [];
    },
  };
  const http = await verdict("frame-object", { fault: bodiless, revision: "2025-11-25" });
  const pipe = await verdict("frame-object", {
    fault: { without: ["message"] },
    revision: "2025-11-25",
    kind: "stdio",
  });

  expect(http.outcome).toBe("passed");
  expect([pipe.outcome, pipe.severity]).toEqual(["failed", "warning"]);
});

test("an answer that does not come in time says how to wait longer, and a wrong one does not", async () => {
  const silent: Fault = {
    change: (reply, { message }) => {
      if (message?.method === "ping") reply.messages = [];
    },
  };
  const late = await verdict("ping-answered", { fault: silent, revision: "2025-11-25", kind: "stdio" });
  const wrong = await verdict("frame-without-version", { fault: { without: ["jsonrpc"] }, revision: "2025-11-25" });

  expect(late).toMatchObject({ outcome: "failed", mend: expect.stringContaining("--timeout 30000 waits longer") });
  expect(wrong).toMatchObject({ outcome: "failed", mend: expect.not.stringContaining("--timeout") });
});

test("the status of a refusal is not judged where nothing is refused", async () => {
  const found = await verdict("meta-without-capabilities-status", {
    fault: { without: ["meta capabilities"] },
    revision: "2026-07-28",
  });

  expect(found.outcome).toBe("not applicable");
});

test("a session without the version header need not be served by a server that does not speak 2025-03-26", async () => {
  const found = await verdict("version-header-absent", {
    setup: { revisions: ["2025-11-25"] },
    revision: "2025-11-25",
  });

  expect(found.outcome).toBe("not applicable");
});

test("a body of a 202 is one finding, and not one of messages as well", async () => {
  const fault: Fault = {
    change: (reply) => {
      if (reply.status === 202) Object.assign(reply, { text: "null", headers: { "content-type": "application/json" } });
    },
  };
  const { findings } = await runScripted({ fault, revisions: ["2025-11-25"] });
  const failed = findings.filter(({ outcome }) => outcome === "failed").map(({ check }) => check);

  expect(failed).toEqual(["legacy-notification-no-body"]);
});

test("a session that the server did not end goes on", async () => {
  const fault: Fault = {
    without: ["session ended"],
    change: (reply, { verb }) => {
      if (verb === "DELETE") reply.status = 404;
    },
  };
  const refused = await verdict("session-delete", { fault, revision: "2025-11-25" });
  const found = await verdict("session-ended", { fault, revision: "2025-11-25" });

  expect([refused.outcome, found.outcome]).toEqual(["failed", "not applicable"]);
});

function challenging(change: (challenge: string) => string): Case {
  const fault: Fault = {
    change: ({ headers }) => {
      const challenge = headers["www-authenticate"];
      if (challenge !== undefined) headers["www-authenticate"] = change(challenge);
    },
  };
  return { fault, setup: { token: "secret-token" }, revision: "2026-07-28" };
}

test("a Bearer challenge may come after one of another scheme, and its scope without quotes", async () => {
  const given = challenging((challenge) => `DPoP algs="ES256", ${challenge.replace('"mcp"', "mcp")}`);

  expect((await verdict("auth-challenge", given)).outcome).toBe("passed");
  expect((await verdict("auth-challenge-scope", given)).outcome).toBe("passed");
});

test("resource metadata at another origin is not fetched from this one", async () => {
  const given = challenging((challenge) => challenge.replace("http://127.0.0.1:3000", "https://example.com"));

  expect((await verdict("auth-metadata-served", given)).reason).toContain("https://example.com");
});

test("a notification after a blank line is no answer to it", async () => {
  const fault: Fault = {
    change: (reply) => void reply.messages.unshift({ jsonrpc: "2.0", method: "notifications/tools/list_changed" }),
  };
  const found = await verdict("stdio-blank-lines", { fault, revision: "2025-11-25", kind: "stdio" });

  expect(found.outcome).toBe("passed");
});

test("a list that is declared and refused is a warning", async () => {
  const refusing: Fault = {
    change: (reply, { message }) => {
      if (message?.method === "prompts/list")
        reply.messages = [{ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "There is none" } }];
    },
  };
  const refused = await verdict("prompts-declared", { fault: refusing, revision: "2025-11-25" });

  expect([refused.outcome, refused.severity]).toEqual(["failed", "warning"]);
});

test("a list that differs between connections breaks no sentence before the modern era", async () => {
  const { findings } = await runScripted({ revisions: ["2025-11-25", "2026-07-28"] });
  const ran = findings.filter(({ check }) => check === "lists-same-for-all").map(({ revision }) => revision);

  expect(ran).toEqual(["2026-07-28"]);
});

test("a reply that is too large to read decides nothing", async () => {
  const huge: Fault = {
    change: (reply, { message }) => {
      if (message?.method === "resources/read") reply.text = "x".repeat(5 * 1024 * 1024);
    },
  };
  const found = await verdict("resource-read", { fault: huge, revision: "2026-07-28" });

  expect([found.outcome, found.reason]).toEqual(["not observed", "the reply is too large to read"]);
});

test("a line that is too long is dropped to its end, and reported", () => {
  const heard: string[] = [];
  const splitter = new LineSplitter(
    (line) => heard.push(line),
    () => heard.push("(long)"),
    () => heard.push("(flood)"),
  );
  splitter.push("one\n");
  for (let piece = 0; piece < 5; piece += 1) splitter.push("x".repeat(1024 * 1024));
  splitter.push("rest\ntwo\n");

  expect(heard).toEqual(["one", "(long)", "two"]);
});

test("a long line ends the wait for its answer", async () => {
  const long: OpenPipe = ({ onLongLine }) => ({
    write: () => onLongLine?.(),
    endInput: () => undefined,
    kill: () => undefined,
  });
  const peer = await new StdioTarget("long", long, DEFAULT_LIMITS).open("2026-07-28");

  expect((await peer.request("server/discover")).problem).toBe("the reply is too large to read");
});

test("the first answer of a program may take longer than the others, until a program has not answered at all", async () => {
  const limits = { ...DEFAULT_LIMITS, timeoutMs: 40 };
  let answersAfterMs = 80;
  const slow: OpenPipe = (handlers) => {
    const inner = scriptedPipe(new ScriptedServer())(handlers);
    return { ...inner, write: (text) => void setTimeout(() => inner.write(text), answersAfterMs) };
  };
  const target = new StdioTarget("slow", slow, limits);
  const slowStart = await (await target.open("2026-07-28")).request("server/discover");
  answersAfterMs = 10_000;
  const silent = await (await target.open("2026-07-28")).request("server/discover");
  answersAfterMs = 80;
  const impatient = await (await target.open("2026-07-28")).request("server/discover");

  expect(slowStart.problem).toBe(undefined);
  expect(silent.problem).toBe("no answer in time");
  expect(impatient.problem).toBe("no answer in time");
});

interface Questions {
  readonly keys: readonly string[];
  /** How many looks at a task still show the questions that were answered. */
  readonly lateLooks?: number;
  readonly pollIntervalMs: number;
}

/** The verdict about a server whose tasks ask these questions, and how often the checker looked at the task after its answers. */
async function resumption({
  keys,
  lateLooks = 0,
  pollIntervalMs,
}: Questions): Promise<Partial<Finding> & { looks: number }> {
  const answered = new Set<string>();
  let looks = 0;
  const fault: Fault = {
    change: (reply, { message }) => {
      const params = isObject(message?.params) ? message.params : {};
      if (message?.method === "tasks/update" && isObject(params.inputResponses))
        for (const key of Object.keys(params.inputResponses)) answered.add(key);
      if (message?.method !== "tasks/get" || !String(params.taskId).startsWith("survey")) return;
      looks += answered.size > 0 ? 1 : 0;
      const open = keys.filter((key) => !answered.has(key) || looks <= lateLooks);
      const inputRequests = Object.fromEntries(open.map((key) => [key, { method: "roots/list" }]));
      const state = open.length > 0 ? { status: "input_required", inputRequests } : { status: "working" };
      for (const result of resultsOf(reply)) Object.assign(result, { ...state, pollIntervalMs });
    },
  };
  const limits = { ...DEFAULT_LIMITS, timeoutMs: 1000, lingerMs: 2 };
  const { findings } = await runScripted({ fault, revisions: ["2026-07-28"], areas: [tasks], limits });
  return { ...findings.find(({ check }) => check === "task-resumes"), looks };
}

test("the answers of a task may take as long as the time limit allows", async () => {
  const found = await resumption({ keys: ["first"], lateLooks: 25, pollIntervalMs: 1 });

  expect(found).toMatchObject({ outcome: "passed" });
});

test("a task is not looked at more often than it asks for, and one look decides nothing", async () => {
  const found = await resumption({ keys: ["first"], lateLooks: 25, pollIntervalMs: 60_000 });

  expect(found).toMatchObject({ outcome: "not observed", reason: "no task was seen after its answers", looks: 1 });
});

test("a question may have the name of an inherited member", async () => {
  const found = await resumption({ keys: ["constructor"], pollIntervalMs: 1 });

  expect(found).toMatchObject({ outcome: "passed", looks: 1 });
});

test("a tool is slow if its call is late, and not if another method with its name is", async () => {
  const silent: Fault = {
    change: (reply, { message }) => {
      if (["prompts/get", "tools/call", "resources/read"].includes(String(message?.method))) reply.messages = [];
    },
  };
  const slowTools = new Set<string>();
  const probe = new Probe({
    target: new StdioTarget("silent", scriptedPipe(new ScriptedServer(silent)), { ...DEFAULT_LIMITS, timeoutMs: 20 }),
    revision: "2026-07-28",
    claimed: ["2026-07-28"],
    permissions: { calls: [], allowReadOnly: false },
    isProtected: false,
    timeoutMs: 20,
    isOver: () => false,
    slowTools,
    firstExchanges: new Map(),
    opened: undefined,
  });
  await probe.discover();
  await probe.ask("prompts/get", { name: "report" });
  await probe.ask("resources/read", { uri: "file:///report" });
  const before = [...slowTools];
  await probe.ask("tools/call", { name: "report", arguments: {} });
  await probe.close();

  expect([before, [...slowTools]]).toEqual([[], ["report"]]);
});

test("one silent start of a program spoils no verdict in another revision", async () => {
  let starts = 0;
  const wrap = (open: OpenPipe): OpenPipe => {
    return (handlers) => {
      const pipe = open(handlers);
      let isFirst = true;
      const write = (text: string) => {
        if (isFirst && text.includes('"ping"')) starts += 1;
        const isSilent = isFirst && text.includes('"ping"') && starts === 1;
        if (!isSilent) pipe.write(text);
        isFirst = false;
      };
      return { ...pipe, write };
    };
  };

  const { findings } = await runScripted({ kind: "stdio", wrap });

  const outcomes = findings.filter(({ check }) => check === "ping-before-initialize").map(({ outcome }) => outcome);
  expect(outcomes.toSorted()).toEqual(["failed", "passed", "passed", "passed"]);
});

/** What becomes of a program whose tool is called: its pipe, and whether it goes on to read lines. */
const BAD_TOOLS: readonly (readonly [string, (pipe: LinePipe) => boolean])[] = [
  ["answer nothing", () => true],
  ["keep the program from answering", () => false],
  [
    "end the program",
    (pipe) => {
      pipe.kill();
      return false;
    },
  ],
];

test.each(BAD_TOOLS)("a server whose tools %s is not given up", async (_what, call) => {
  const calls = new Map<string, number>();
  const wrap = (open: OpenPipe): OpenPipe => {
    return (handlers) => {
      const pipe = open(handlers);
      let isReading = true;
      const write = (text: string) => {
        const [, name] = /"tools\/call".*"name":"(weather|gallery|job|noisy|survey)"/.exec(text) ?? [];
        if (name === undefined && isReading) pipe.write(text);
        if (name === undefined || !isReading) return;
        calls.set(name, (calls.get(name) ?? 0) + 1);
        isReading = call(pipe);
      };
      return { ...pipe, write };
    };
  };

  const { findings } = await runScripted({ kind: "stdio", wrap });

  expect(findings.filter(({ reason }) => reason === "the server has stopped answering")).toEqual([]);
  expect(Math.max(...calls.values())).toBe(1);
});

test("a server that stops answering is given up after it was asked once more in each revision", async () => {
  let asked = 0;
  let late = 0;
  const wrap = (open: OpenPipe): OpenPipe => {
    return (handlers) => {
      const pipe = open(handlers);
      const write = (text: string) => {
        asked += 1;
        if (asked < 60) pipe.write(text);
        else late += 1;
      };
      return { ...pipe, write };
    };
  };

  const { findings } = await runScripted({ kind: "stdio", wrap });

  expect(findings.some(({ reason }) => reason === "the server has stopped answering")).toBe(true);
  expect(late).toBeLessThan(100);
});
