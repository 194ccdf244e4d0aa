/** What `parley-check` does with its arguments: makes a target, runs the checks, writes the report, decides the exit code. */
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import { NEWEST_REVISION } from "parley-requirements";
import { CHECK_AREAS } from "../checks/index.js";
import { CLIENT_AREAS } from "../client/areas/index.js";
import { type ClientTrial, runClientChecks } from "../client/client-runner.js";
import { summaryOf } from "../formats/grouping.js";
import { FORMATS } from "../formats/index.js";
import { ISSUER_CHECKS } from "../issuer/issuer-checks.js";
import { runIssuerChecks } from "../issuer/issuer-runner.js";
import { requirementOf, severityOf } from "../judge/check.js";
import { escapeControls, maskFor } from "../judge/evidence.js";
import { type Finding, type Report, type Severity, tallyOf } from "../judge/report.js";
import { runChecks } from "../judge/runner.js";
import {
  parseRecording,
  type RecordedOptions,
  type RecordedRun,
  type Recording,
  recordedHttp,
  recordedPipe,
  recordedSse,
} from "../target/recording.js";
import { maskSecrets } from "../target/secrets.js";
import { SseTarget, servesSse } from "../target/sse-target.js";
import { StdioTarget } from "../target/stdio-target.js";
import type { Target } from "../target/target.js";
import { boundExchange, type ExchangeHttp, type HttpTargetOptions, UrlTarget } from "../target/url-target.js";
import { DEFAULT_LIMITS, type Limits } from "../wire/http-exchange.js";
import { lineProcess } from "../wire/line-process.js";
import { logIn } from "../wire/login-process.js";
import { nodeHttp } from "../wire/node-http.js";
import { runProgram } from "../wire/program-run.js";
import { sparePipes } from "../wire/spare-pipes.js";
import { type Arguments, parseArguments } from "./arguments.js";
import { type BaselineLine, compareWithBaseline, parseBaseline } from "./baseline.js";
import { assertWritable, readInput, writeOutput } from "./files.js";
import { UsageError, usageOf } from "./options.js";
import { UnlistedCalls } from "./unlisted-calls.js";

/** The process around a run. */
export interface Surroundings {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Whether `print` goes to a terminal. */
  readonly isTerminal: boolean;
}

const SEVERITIES: readonly Severity[] = ["failure", "warning", "note"];

/** The areas of all targets. */
const AREAS = [...CHECK_AREAS, ...CLIENT_AREAS, { area: "issuer", checks: ISSUER_CHECKS }];

/** Runs the command and returns its exit code. Never rejects. */
export async function runCommand(surroundings: Surroundings): Promise<number> {
  const around = { ...surroundings, complain: (text: string) => surroundings.complain(escapeControls(text)) };
  try {
    const args = parseArguments(around.argv, around.env);
    if (args.wants === "help") around.print(usageOf(args.command));
    if (args.wants === "list") around.print(listChecks());
    if (args.wants === "version") around.print(`${readVersion()}\n`);
    return args.wants === "run" ? await check(args, around) : 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof UsageError ? "\nparley-check --help lists the options." : "";
    around.complain(`parley-check: ${message}${hint}\n`);
    return 2;
  }
}

function readVersion(): string {
  const { version } = createRequire(import.meta.url)("@parley-mcp/conformance/package.json") as { version: string };
  return version;
}

async function check(args: Arguments, around: Surroundings): Promise<number> {
  const baseline = args.baseline === undefined ? [] : readBaseline(args.baseline);
  if (args.output !== undefined) assertWritable("--output", args.output);
  if (args.record !== undefined) assertWritable("--record", args.record);
  const unlisted = new UnlistedCalls();
  const { report, stale } = compareWithBaseline(await runTarget(args, around, unlisted), baseline);
  const text = FORMATS[args.format]?.(report, { isColored: around.isTerminal, isVerbose: args.isVerbose }) ?? "";
  if (args.output === undefined) around.print(text);
  else {
    writeOutput("--output", args.output, text);
    around.print(`${summaryOf(tallyOf(report.findings))}; the report is in ${args.output}\n`);
  }
  for (const { place, check, revision } of stale)
    around.complain(`parley-check: ${place} names "${check} ${revision}", which no longer fails: remove the line\n`);
  for (const complaint of unlisted.complaints()) around.complain(`parley-check: ${complaint}\n`);
  if (unlisted.isCallUseless) return 2;
  return stale.length > 0 || hasFindings(report, args.failOn) ? 1 : 0;
}

/** Whether a finding that the baseline does not name is as severe as asked for. */
function hasFindings({ findings }: Report, failOn: Severity): boolean {
  const counted = SEVERITIES.slice(0, SEVERITIES.indexOf(failOn) + 1);
  return findings.some(
    ({ outcome, known, severity }) => outcome === "failed" && known === undefined && counted.includes(severity),
  );
}

/** @throws {UsageError} if the file cannot be read, or has a line that makes no sense. */
function readBaseline(file: string): BaselineLine[] {
  const checks = new Set(AREAS.flatMap(({ checks }) => checks.map(({ id }) => id)));
  return parseBaseline(file, readInput("--baseline", file), checks);
}

function runTarget(args: Arguments, around: Surroundings, unlisted: UnlistedCalls): Promise<Report> {
  if (args.target?.kind === "client") return checkClient(args, args.target, around);
  if (args.target?.kind === "auth") return checkIssuer(args, args.target.url, around);
  return checkServer(args, around, unlisted);
}

function checkIssuer(args: Arguments, issuer: string, around: Surroundings): Promise<Report> {
  const matches = selection(args.only, [...ISSUER_CHECKS.map(({ id }) => id), "issuer"]);
  return withProgress(args, around, (onProgress) =>
    runIssuerChecks(issuer, {
      sendTo: nodeHttp,
      limits: limitsOf(args),
      mask: maskFor(args.secrets),
      isSelected: ({ id }) => matches(id, "issuer"),
      maxRunMs: args.maxRunMs,
      ...(onProgress ? { onProgress } : {}),
    }),
  );
}

function limitsOf({ timeoutMs }: Arguments): Limits {
  return { ...DEFAULT_LIMITS, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

/** How long a client may run against one played server. */
const CLIENT_MS = 30_000;

const CLIENTS_AT_ONCE = 4;

function checkClient(
  args: Arguments,
  { command, args: rest }: { command: string; args: readonly string[] },
  around: Surroundings,
): Promise<Report> {
  const matches = selection(
    args.only,
    CLIENT_AREAS.flatMap(({ area, checks }) => [area, ...checks.map(({ id }) => id)]),
  );
  return withProgress(args, around, (onProgress) =>
    runClientChecks({
      run: (trial) =>
        runProgram(
          command,
          argumentsFor(rest, trial),
          { ...around.env, ...toldTo(trial) },
          args.timeoutMs ?? CLIENT_MS,
        ),
      name: [command, ...rest].join(" "),
      mask: maskFor(args.secrets),
      isSelected: ({ id }, area) => matches(id, area),
      concurrency: CLIENTS_AT_ONCE,
      maxRunMs: args.maxRunMs,
      ...(args.revisions ? { revisions: args.revisions } : {}),
      ...(onProgress ? { onProgress } : {}),
    }),
  );
}

type OnProgress = (done: number, total: number, finding: Finding) => void;

/** Shows a progress line on a terminal while checks run. */
async function withProgress(
  { format, output }: Arguments,
  { isTerminal, print }: Surroundings,
  run: (onProgress: OnProgress | undefined) => Promise<Report>,
): Promise<Report> {
  // A report on the terminal that programs read stands alone.
  if (!isTerminal || (format !== "pretty" && output === undefined)) return run(undefined);
  try {
    return await run((done, total, finding) => print(progress(done, total, finding)));
  } finally {
    print("\r\u001b[K");
  }
}

/** In the arguments of a client, the place of the server. */
const SERVER_PLACE = "{server}";

/** The URL or the command of the server in its place. Without a place, the last argument is the URL, or the command as JSON. */
function argumentsFor(args: readonly string[], { server }: ClientTrial): string[] {
  if (args.includes(SERVER_PLACE)) return args.flatMap((arg) => (arg === SERVER_PLACE ? server : arg));
  return [...args, typeof server === "string" ? server : JSON.stringify(server)];
}

function toldTo({ server, scenario, revision, told }: ClientTrial): Record<string, string> {
  return {
    ...told,
    ...(typeof server === "string" ? { MCP_SERVER_URL: server } : { MCP_SERVER_COMMAND: JSON.stringify(server) }),
    PARLEY_CHECK_SCENARIO: scenario,
    PARLEY_CHECK_REVISION: revision,
  };
}

/** The arguments with the token of a login as a header, if a login was asked for. */
async function loggedIn(args: Arguments, { env, complain }: Surroundings): Promise<Arguments> {
  if (args.login === undefined || args.target?.kind !== "http") return args;
  const token = await logIn({ ...args.login, url: args.target.url, env, complain });
  const headers = { ...args.headers, Authorization: `Bearer ${token}` };
  return { ...args, headers, secrets: [...args.secrets, token] };
}

async function checkServer(given: Arguments, around: Surroundings, unlisted: UnlistedCalls): Promise<Report> {
  const args = await loggedIn(given, around);
  const opened = await openTarget(args, around.env);
  try {
    return await runServerChecks(replayOptions(args, opened.recorded), around, opened, unlisted);
  } finally {
    opened.close?.();
  }
}

async function runServerChecks(
  args: Arguments,
  around: Surroundings,
  { target, isProtected }: OpenedTarget,
  unlisted: UnlistedCalls,
): Promise<Report> {
  const matches = selection(
    args.only,
    CHECK_AREAS.flatMap(({ area, checks }) => [area, ...checks.map(({ id }) => id)]),
  );
  return withProgress(args, around, (onProgress) =>
    runChecks(target, {
      areas: CHECK_AREAS,
      permissions: { calls: args.calls, allowReadOnly: args.allowCalls, isFixture: args.isFixture },
      mask: maskFor(args.secrets),
      isProtected,
      timeoutMs: limitsOf(args).timeoutMs,
      maxRunMs: args.maxRunMs,
      isSelected: ({ id }, area) => matches(id, area),
      onOffer: (revision, offer) => unlisted.look(args.calls, revision, offer),
      ...(args.revisions ? { revisions: args.revisions } : {}),
      ...(onProgress ? { onProgress } : {}),
    }),
  );
}

interface OpenedTarget {
  readonly target: Target;
  readonly isProtected: boolean;
  readonly close?: () => void;
  /** Options of the run that a recording holds. */
  readonly recorded?: RecordedOptions | undefined;
}

/** Programs that are started ahead. Two keep both cores of a small machine busy. */
const SPARE_PROGRAMS = 2;

async function openTarget(args: Arguments, env: Surroundings["env"]): Promise<OpenedTarget> {
  const limits = limitsOf(args);
  const options = recordedOptions(args);
  const keep = args.record === undefined ? undefined : recorder(args.record, args.secrets);
  if (args.target?.kind === "replay") return replayed(args.target.file);
  if (args.target?.kind === "stdio") {
    const { command, args: rest } = args.target;
    const name = [command, ...rest].join(" ");
    const run: RecordedRun = { kind: "stdio", target: name, headers: {}, isProtected: false, options };
    keep?.(JSON.stringify(run));
    const program = lineProcess(command, rest, env);
    const { open, close } = sparePipes(keep ? recordedPipe(program, keep) : program, SPARE_PROGRAMS);
    return { target: new StdioTarget(name, open, limits), isProtected: false, close };
  }
  const url = args.target?.kind === "http" ? args.target.url : "";
  const exchange = boundExchange(nodeHttp(new URL(url)), limits);
  const isProtected = Object.keys(args.headers).length > 0 && (await isRefusedWithout(url, exchange));
  const over = { url, headers: args.headers, exchange };
  const kind = args.isSse || (await isOlder(over)) ? "sse" : "http";
  const run: RecordedRun = { kind, target: url, headers: args.headers, isProtected, options };
  keep?.(JSON.stringify(run));
  const recorded = kind === "sse" ? recordedSse : recordedHttp;
  const kept = { ...over, exchange: keep ? recorded(exchange, keep) : exchange };
  return { target: kind === "sse" ? new SseTarget(kept, limits) : new UrlTarget(kept), isProtected };
}

/** Whether a server has HTTP+SSE and not Streamable HTTP, found out as the specification tells clients to. */
async function isOlder(options: HttpTargetOptions): Promise<boolean> {
  const peer = await new UrlTarget(options).open("2025-11-25");
  await peer.close();
  const { opening } = peer;
  const isRefused = [400, 404, 405].includes(opening?.http?.status ?? 0) && opening?.response === undefined;
  return isRefused && (await servesSse(options));
}

/** Everything in a recording is there at once, so silence is seen soon. */
const REPLAY_LIMITS: Limits = { ...DEFAULT_LIMITS, timeoutMs: 50, lingerMs: 1 };

function replayed(file: string): OpenedTarget {
  const { run, exchange, openPipe } = readRecording(file);
  const options = { url: run.target, exchange, headers: run.headers };
  const targets = {
    http: () => new UrlTarget(options),
    sse: () => new SseTarget(options, REPLAY_LIMITS),
    stdio: () => new StdioTarget(run.target, openPipe, REPLAY_LIMITS),
  };
  return { target: targets[run.kind](), isProtected: run.isProtected, recorded: run.options };
}

function recordedOptions({ only, revisions, calls, allowCalls, isFixture }: Arguments): RecordedOptions {
  return { only, ...(revisions ? { revisions } : {}), calls, allowCalls, isFixture };
}

/** The arguments of a replay, with those of the recorded run where they are missing. */
function replayOptions(args: Arguments, recorded: RecordedOptions | undefined): Arguments {
  if (recorded === undefined) return args;
  return {
    ...args,
    only: args.only.length > 0 ? args.only : recorded.only,
    revisions: args.revisions ?? recorded.revisions,
    calls: args.calls.length > 0 ? args.calls : recorded.calls,
    allowCalls: args.allowCalls || recorded.allowCalls,
    isFixture: args.isFixture || recorded.isFixture,
  };
}

/** @throws {UsageError} if the file cannot be read, or is no recording. */
function readRecording(file: string): Recording {
  const text = readInput("replay", file);
  try {
    return parseRecording(text);
  } catch (error) {
    throw new UsageError(`replay ${file} is no file of parley-check --record`, { cause: error });
  }
}

/** Whether the server refuses a request without the given headers. */
async function isRefusedWithout(url: string, exchange: ExchangeHttp): Promise<boolean> {
  const peer = await new UrlTarget({ url, exchange, headers: {} }).open(NEWEST_REVISION);
  return (await peer.request("server/discover")).http?.status === 401;
}

function recorder(file: string, secrets: readonly string[]): (line: string) => void {
  writeOutput("--record", file, "");
  return (line) => appendFileSync(file, `${maskSecrets(line, secrets)}\n`);
}

/** Whether a check or its area was asked for. */
function selection(only: readonly string[], names: readonly string[]): (id: string, area: string) => boolean {
  const matches = (pattern: string, name: string) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  const unknown = only.find((pattern) => !names.some((name) => matches(pattern, name)));
  if (unknown !== undefined) throw new UsageError(`--only ${unknown} matches no check and no area; --list shows both`);
  return (id, area) => only.length === 0 || only.some((pattern) => matches(pattern, id) || matches(pattern, area));
}

function progress(done: number, total: number, { area, revision }: Finding): string {
  return `\r\u001b[K${done} of ${total} checks  ${revision}  ${area}`;
}

function listChecks(): string {
  const lines = AREAS.flatMap(({ area, checks }) => [
    area,
    ...checks.map(
      (item) =>
        `  ${item.id.padEnd(36)} ${severityOf(item).padEnd(8)} ${item.requirement} (${requirementOf(item).strength})`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}
