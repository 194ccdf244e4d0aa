/** The options of the command line: which command takes which, how they are spelled, and the pages of `--help`. */
import { parseArgs } from "node:util";

/** `server` has no word of its own on the command line. */
export type Command = "server" | "client" | "auth" | "replay";

/** Thrown for a command line that makes no sense. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const OPTIONS = {
  header: {
    type: "string",
    multiple: true,
    of: ["server"],
    usage: "--header 'Name: $VARIABLE'",
    help: "a header of each request; $VARIABLE comes from the environment (repeatable)",
  },
  sse: {
    type: "boolean",
    of: ["server"],
    usage: "--sse",
    help: "checks HTTP+SSE of 2024-11-05 at the URL; without it, that transport is tried after\na POST that is answered with 400, 404 or 405",
  },
  login: {
    type: "boolean",
    of: ["server"],
    usage: "--login",
    help: "logs in first, at the URL on standard error, and checks with that token; needs parley-mcp",
  },
  "login-timeout": {
    type: "string",
    of: ["server"],
    usage: "--login-timeout <seconds>",
    help: "how long the login may take (default: 300)",
  },
  "login-client": {
    type: "string",
    of: ["server"],
    usage: "--login-client <id>",
    help: "the id of a registered client; its secret is in PARLEY_CHECK_CLIENT_SECRET",
  },
  call: {
    type: "string",
    multiple: true,
    of: ["server", "replay"],
    usage: "--call tool='{\"a\":1}'",
    help: "calls a tool with these arguments (repeatable)",
  },
  "allow-calls": {
    type: "boolean",
    of: ["server", "replay"],
    usage: "--allow-calls",
    help: "calls tools that are annotated as read-only and need no arguments",
  },
  fixture: {
    type: "boolean",
    of: ["server", "replay"],
    usage: "--fixture",
    help: "calls the tools that servers have for the official referee",
  },
  revision: {
    type: "string",
    multiple: true,
    of: ["server", "client", "replay"],
    usage: "--revision 2026-07-28",
    help: "checks this revision only (repeatable)",
  },
  only: {
    type: "string",
    multiple: true,
    of: ["server", "client", "auth", "replay"],
    usage: "--only area-or-check",
    help: "runs these checks only; a trailing * matches the rest (repeatable)",
  },
  format: {
    type: "string",
    of: ["server", "client", "auth", "replay"],
    usage: "--format pretty|json|junit|sarif|html",
    help: "the form of the report (default: pretty)",
  },
  output: {
    type: "string",
    of: ["server", "client", "auth", "replay"],
    usage: "--output <file>",
    help: "writes the report to a file",
  },
  "fail-on": {
    type: "string",
    of: ["server", "client", "auth", "replay"],
    usage: "--fail-on failure|warning|note",
    help: "what makes the exit code 1 (default: failure)",
  },
  baseline: {
    type: "string",
    of: ["server", "client", "auth", "replay"],
    usage: "--baseline <file>",
    help: 'known findings, one "check revision" per line; a line that no longer holds fails',
  },
  record: {
    type: "string",
    of: ["server"],
    usage: "--record <file>",
    help: "keeps every exchange for replay",
  },
  timeout: {
    type: "string",
    of: ["server", "client", "auth"],
    usage: "--timeout <ms>",
    help: "how long one exchange may take (default: 5000), or one run of a client (default: 30000)",
  },
  "max-time": {
    type: "string",
    of: ["server", "client", "auth", "replay"],
    usage: "--max-time <seconds>",
    help: "how long all checks may take (default: 300)",
  },
  verbose: {
    type: "boolean",
    of: ["server", "client", "auth", "replay"],
    usage: "--verbose",
    help: "shows every finding with all of its evidence",
  },
  list: { type: "boolean", of: ["server", "client", "auth", "replay"], usage: "--list", help: "lists the checks" },
  version: {
    type: "boolean",
    of: ["server", "client", "auth", "replay"],
    usage: "--version",
    help: "prints the version of parley-check",
  },
  help: {
    type: "boolean",
    short: "h",
    of: ["server", "client", "auth", "replay"],
    usage: "--help, -h",
    help: "prints this page; after client, auth or replay, the page of that command",
  },
} as const;

type OptionName = keyof typeof OPTIONS;

const NAMES = Object.keys(OPTIONS) as OptionName[];

interface CommandHelp {
  /** The forms of the command, with what each of them checks. */
  readonly forms: readonly (readonly [form: string, about: string])[];
  /** Lines of the page of the command alone. */
  readonly details: string;
}

const COMMANDS: Readonly<Record<Command, CommandHelp>> = {
  server: {
    forms: [
      ["parley-check [options] <url>", "a server over HTTP"],
      ["parley-check [options] -- <command> [args]", "a server over standard input and output"],
    ],
    details: "",
  },
  client: {
    forms: [["parley-check client [options] -- <command> [args]", "a client"]],
    details: `The client is started once for each scenario and revision. It gets a server in the place of {server}, else as its last
argument: the URL, also in MCP_SERVER_URL, or the command that starts it, also in MCP_SERVER_COMMAND.
`,
  },
  auth: {
    forms: [["parley-check auth [options] <issuer>", "an authorization server"]],
    details: `The issuer is the URL that protected resources name in authorization_servers, to the character.
`,
  },
  replay: {
    forms: [["parley-check replay [options] <file>", "a recording of --record, judged again"]],
    details: `The file also holds --call, --allow-calls, --fixture, --revision and --only of the recorded run. Options given here come first.
`,
  },
};

/** The page of `--help`: that of a command, or that of all. */
export function usageOf(command: Command | undefined): string {
  const commands = command === undefined ? Object.values(COMMANDS) : [COMMANDS[command]];
  const forms = commands.flatMap((each) => each.forms).map(([form, about]) => entry(form, about, 52));
  const options = NAMES.filter((name) => command === undefined || takes(command, name)).map((name) =>
    entry(OPTIONS[name].usage, OPTIONS[name].help, 28),
  );
  const details = command === undefined ? [] : [COMMANDS[command].details];
  return [
    "Checks servers, clients and authorization servers of the Model Context Protocol against the specification.\n",
    `${forms.join("\n")}\n`,
    ...details,
    `${options.join("\n")}\n`,
    "Exit codes: 0 nothing found, 1 findings, 2 the check could not run.\n",
  ].join("\n");
}

function entry(left: string, right: string, width: number): string {
  return `  ${left.padEnd(width)} ${left.length > width ? "  " : ""}${right.replaceAll("\n", `\n${" ".repeat(width + 3)}`)}`;
}

function takes(command: Command, name: OptionName): boolean {
  return OPTIONS[name].of.some((each) => each === command);
}

/** @throws {UsageError} for an option that does not exist, lacks its value, or has one too many. */
export function assertOptions(args: readonly string[]): void {
  for (const token of tokensOf(args)) {
    const { name, rawName, value } = token;
    const option = isOption(name) ? OPTIONS[name] : undefined;
    if (!option) throw new UsageError(`there is no option ${rawName}${suggestion(name)}`);
    // An option takes the next word as its value, also if that is the next option.
    const isMissing = value === undefined || (!token.inlineValue && /^-./.test(value));
    if (option.type === "string" && isMissing) throw new UsageError(`${rawName} needs a value: ${option.usage}`);
    if (option.type === "boolean" && value !== undefined) throw new UsageError(`${rawName} takes no value`);
  }
}

/** @throws {UsageError} for an option that the command does not take. */
export function assertTaken(command: Command, args: readonly string[]): void {
  const found = tokensOf(args).find(({ name }) => isOption(name) && !takes(command, name));
  if (found === undefined) return;
  throw new UsageError(`${command} takes no ${found.rawName}; parley-check ${command} --help lists its options`);
}

function tokensOf(args: readonly string[]) {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.filter((token) => token.kind === "option");
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}

const MAX_TYPOS = 2;

/** The option that is meant, if one is near. */
function suggestion(name: string): string {
  const [nearest] = NAMES.map((known) => ({ known, typos: typosBetween(name, known) }))
    .filter(({ known, typos }) => typos <= MAX_TYPOS && typos < known.length / 2)
    .sort((a, b) => a.typos - b.typos);
  return nearest === undefined ? "" : `; did you mean --${nearest.known}?`;
}

/** How many letters have to be added, removed or replaced. */
function typosBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, expected] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + (letter === expected ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
