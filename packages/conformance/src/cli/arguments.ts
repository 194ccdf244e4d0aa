/** The command line of `parley-check`. */
import { parseArgs } from "node:util";
import { REVISIONS, type Revision } from "parley-requirements";
import { FORMATS } from "../formats/index.js";
import type { Severity } from "../judge/report.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";
import { assertOptions, assertTaken, type Command, OPTIONS, UsageError } from "./options.js";

export interface Arguments {
  readonly target: TargetArguments | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Values that no report shows. */
  readonly secrets: readonly string[];
  /** Whether the URL is that of a stream of HTTP+SSE. */
  readonly isSse: boolean;
  /** `undefined` without `--login`. */
  readonly login: LoginArguments | undefined;
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly allowCalls: boolean;
  readonly isFixture: boolean;
  readonly revisions: readonly Revision[] | undefined;
  readonly only: readonly string[];
  readonly format: string;
  readonly output: string | undefined;
  readonly failOn: Severity;
  readonly baseline: string | undefined;
  readonly record: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxRunMs: number;
  readonly isVerbose: boolean;
  readonly wants: "run" | "help" | "list" | "version";
  /** The command that is named. */
  readonly command: Command | undefined;
}

export type TargetArguments =
  | { readonly kind: "http"; readonly url: string }
  | { readonly kind: "stdio"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "client"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "auth"; readonly url: string }
  | { readonly kind: "replay"; readonly file: string };

export interface LoginArguments {
  readonly timeoutMs: number;
  readonly clientId: string | undefined;
}

const SEVERITIES: readonly Severity[] = ["failure", "warning", "note"];

/** @throws {UsageError} that says what is wrong and what would be right. */
export function parseArguments(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Arguments {
  const end = argv.indexOf("--");
  const program = end < 0 ? undefined : argv.slice(end + 1);
  const own = end < 0 ? argv : argv.slice(0, end);
  const { values, positionals } = parse(own);
  const command = commandOf(positionals[0]);
  const headers = (values.header ?? []).map((text) => parseHeader(text, env));
  const wants = (["help", "version", "list"] as const).find((option) => values[option]) ?? "run";
  const target = wants === "run" ? parseTarget(positionals, program) : undefined;
  if (wants === "run" && command) assertTaken(command, own);
  if (values.login && target && target.kind !== "http")
    throw new UsageError("--login takes the URL of a server: parley-check --login https://example.com/mcp");
  return {
    target,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    secrets: [...headers.flatMap(({ secrets }) => secrets), ...secretsOf(target)],
    isSse: values.sse ?? false,
    login: values.login ? parseLogin(values["login-client"], values["login-timeout"]) : undefined,
    calls: (values.call ?? []).map(parseCall),
    allowCalls: values["allow-calls"] ?? false,
    isFixture: values.fixture ?? false,
    revisions: values.revision?.flatMap((text) => text.split(",")).map(parseRevision),
    only: (values.only ?? []).flatMap((text) => text.split(",")),
    format: oneOf("--format", values.format ?? "pretty", Object.keys(FORMATS)),
    output: values.output,
    failOn: oneOf("--fail-on", values["fail-on"] ?? "failure", SEVERITIES),
    baseline: values.baseline,
    record: values.record,
    timeoutMs: values.timeout === undefined ? undefined : parseCount("--timeout", "milliseconds", values.timeout),
    maxRunMs: 1000 * parseCount("--max-time", "seconds", values["max-time"] ?? "300"),
    isVerbose: values.verbose ?? false,
    wants,
    command,
  };
}

function parse(args: readonly string[]) {
  assertOptions(args);
  return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
}

/** The command that the first word names. */
function commandOf(first: string | undefined): Command | undefined {
  return (["client", "auth", "replay"] as const).find((name) => name === first);
}

function parseTarget(positionals: readonly string[], command: readonly string[] | undefined): TargetArguments {
  const [first, second, ...rest] = positionals;
  if (command !== undefined) {
    const [program, ...args] = command;
    if (first !== undefined && first !== "client")
      throw new UsageError(`Give a URL or a command after --, not both: ${first}`);
    if (program === undefined)
      throw new UsageError("A command must follow --, such as: parley-check -- node server.js");
    return { kind: first === "client" ? "client" : "stdio", command: program, args };
  }
  if (first === "client")
    throw new UsageError("client takes a command after --: parley-check client -- node client.js");
  if (first === "replay") {
    if (second === undefined || rest.length > 0)
      throw new UsageError("replay takes one file: parley-check replay run.jsonl");
    return { kind: "replay", file: second };
  }
  if (first === "auth") {
    if (second === undefined || rest.length > 0)
      throw new UsageError("auth takes one issuer: parley-check auth https://login.example.com");
    return { kind: "auth", url: requireUrl(second, "; write: parley-check auth https://login.example.com") };
  }
  if (first === undefined)
    throw new UsageError("A URL or a command is required, such as: parley-check http://localhost:3000/mcp");
  if (second !== undefined) throw new UsageError(`One URL is enough, and this is another: ${second}`);
  // A host with a port or a path, without its scheme.
  const isBare = /^[\w.-]+(:\d+)?(\/|$)/.test(first) && /:\d|\//.test(first) && !first.startsWith("/");
  const hint = isBare
    ? `; write http://${first}, or for a program: parley-check -- ${first}`
    : `; for a program write: parley-check -- ${first}`;
  return { kind: "http", url: requireUrl(first, hint) };
}

/** The password of a URL, alone and as HTTP sends it. */
function secretsOf(target: TargetArguments | undefined): string[] {
  if (target?.kind !== "http" && target?.kind !== "auth") return [];
  const { username, password } = new URL(target.url);
  const [name, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  return password === "" ? [] : [`${username}:${password}`, password, secret, `${name}:${secret}`];
}

function requireUrl(text: string, hint: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new UsageError(`"${text}" is no http or https URL${hint}`);
}

/** A header whose `$NAME` and `${NAME}` come from the environment. Its value is never shown. */
function parseHeader(text: string, env: Readonly<Record<string, string | undefined>>) {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.+)$/.exec(text);
  if (!match)
    throw new UsageError(`--header must be "Name: value", such as 'Authorization: Bearer $TOKEN': got "${text}"`);
  const [, name = "", template = ""] = match;
  const secrets: string[] = [];
  const value = template.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_all, braced: string | undefined, plain: string | undefined) => {
      const variable = braced ?? plain ?? "";
      const secret = env[variable];
      if (secret === undefined)
        throw new UsageError(`--header ${name} needs the environment variable ${variable}, which is not set`);
      secrets.push(secret);
      return secret;
    },
  );
  return { name, value, secrets: [...secrets, value] };
}

function parseLogin(clientId: string | undefined, seconds = "300"): LoginArguments {
  return { timeoutMs: 1000 * parseCount("--login-timeout", "seconds", seconds), clientId };
}

function parseCall(text: string): { name: string; arguments: JsonObject } {
  const at = text.indexOf("=");
  const name = at < 0 ? text : text.slice(0, at);
  const args = at < 0 ? {} : parseJson(text.slice(at + 1));
  if (!isObject(args))
    throw new UsageError(`--call ${name} must have a JSON object, such as: --call ${name}='{"a":1}'`);
  return { name, arguments: args };
}

function parseRevision(text: string): Revision {
  return oneOf("--revision", text, REVISIONS);
}

function parseCount(option: string, unit: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`${option} must be a number of ${unit}, got "${text}"`);
  return value;
}

function oneOf<Value extends string>(option: string, text: string, allowed: readonly Value[]): Value {
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw new UsageError(`${option} must be one of ${allowed.join(", ")}: got "${text}"`);
  return found;
}
