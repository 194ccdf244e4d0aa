/** Runs the checks against a scripted server in this process, without sockets. */
import type { Revision } from "parley-requirements";
import { CHECK_AREAS } from "../checks/index.js";
import type { CheckArea } from "../judge/check.js";
import { maskFor } from "../judge/evidence.js";
import type { Report } from "../judge/report.js";
import { runChecks } from "../judge/runner.js";
import { SseTarget } from "../target/sse-target.js";
import { StdioTarget } from "../target/stdio-target.js";
import type { TargetKind } from "../target/target.js";
import { boundExchange, UrlTarget } from "../target/url-target.js";
import { DEFAULT_LIMITS, type Limits } from "../wire/http-exchange.js";
import type { OpenPipe } from "../wire/line-process.js";
import { ScriptedHttp } from "./scripted-http.fixture.js";
import { scriptedPipe } from "./scripted-pipe.fixture.js";
import { type Fault, ScriptedServer, type Setup } from "./scripted-server.fixture.js";
import { ScriptedSse } from "./scripted-sse.fixture.js";

/** Calls without sockets are answered in the same tick, so a short wait is enough to see silence. */
const QUICK: Limits = { ...DEFAULT_LIMITS, timeoutMs: 30, lingerMs: 2 };

const CALLS = [
  { name: "echo", arguments: { text: "hello", region: "north" } },
  { name: "weather", arguments: {} },
  { name: "gallery", arguments: {} },
  { name: "ask", arguments: {} },
  { name: "job", arguments: {} },
  { name: "survey", arguments: {} },
  { name: "noisy", arguments: {} },
];

export interface ScriptedRun {
  readonly fault?: Fault;
  readonly setup?: Setup;
  readonly revisions?: readonly Revision[];
  readonly kind?: TargetKind;
  readonly areas?: readonly CheckArea[];
  readonly limits?: Limits;
  /** Wraps each pipe. */
  readonly wrap?: (open: OpenPipe) => OpenPipe;
}

export function runScripted(run: ScriptedRun): Promise<Report> {
  const { fault = {}, setup = {}, revisions, kind = "http", areas = CHECK_AREAS } = run;
  const { limits = QUICK, wrap = (open) => open } = run;
  const server = new ScriptedServer(fault, setup);
  const headers: Record<string, string> = setup.token === undefined ? {} : { Authorization: `Bearer ${setup.token}` };
  const url = "http://127.0.0.1:3000/mcp";
  const targets = {
    http: () => new UrlTarget({ url, exchange: boundExchange(new ScriptedHttp(server).send, limits), headers }),
    sse: () => new SseTarget({ url, exchange: boundExchange(new ScriptedSse(server).send, limits), headers }, limits),
    stdio: () => new StdioTarget("scripted", wrap(scriptedPipe(server)), limits),
  };
  return runChecks(targets[kind](), {
    areas,
    permissions: { calls: CALLS, allowReadOnly: false },
    mask: maskFor([]),
    isProtected: setup.token !== undefined,
    timeoutMs: limits.timeoutMs,
    ...(revisions ? { revisions } : {}),
  });
}
