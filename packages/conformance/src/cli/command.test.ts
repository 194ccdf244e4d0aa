import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ScriptedHttp } from "../mutants/scripted-http.fixture.js";
import { type Fault, ScriptedServer, type Setup } from "../mutants/scripted-server.fixture.js";
import { runCommand } from "./command.js";

const folder = mkdtempSync(join(tmpdir(), "parley-check-"));

const STATUS_FAULT: Fault = {
  change(reply) {
    if (JSON.stringify(reply.messages).includes("-32022")) reply.status = 200;
  },
};
const ORDER_FAULT: Fault = { without: ["cursor tools"] };

function serve(fault: Fault = {}, setup: Setup = {}) {
  return new ScriptedHttp(new ScriptedServer(fault, setup)).listen();
}

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  let output = "";
  let complaints = "";
  const code = await runCommand({
    argv,
    env: { PATH: process.env.PATH, ...env },
    print: (text) => {
      output += text;
    },
    complain: (text) => {
      complaints += text;
    },
    isTerminal: false,
  });
  return { code, output, complaints };
}

describe("a server over HTTP", () => {
  let good: Awaited<ReturnType<typeof serve>>;
  let faulty: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    good = await serve();
    faulty = await serve(STATUS_FAULT);
  });

  afterAll(async () => {
    await good[Symbol.asyncDispose]();
    await faulty[Symbol.asyncDispose]();
  });

  test("without faults exits with 0 and says what passed", async () => {
    const { code, output } = await run([good.url, "--revision", "2026-07-28"]);

    expect(code).toBe(0);
    expect(output).toMatch(/\d+ passed, 0 failures; \d+ not applicable, \d+ not observed/);
    expect(output.split("\n").length).toBeLessThan(45);
  });

  test("with a fault exits with 1 and shows what to mend", async () => {
    const { code, output } = await run([faulty.url, "--only", "discovery"]);

    expect(code).toBe(1);
    expect(output).toContain("FAILURE unknown-revision-status (2026-07-28)");
    expect(output).toContain("expected  HTTP 400");
    expect(output).toContain("mend      Send status 400 with error -32022.");
    expect(output).toContain("see       https://modelcontextprotocol.io/specification/2026-07-28/");
    expect(output).toContain("< HTTP 200");
  });

  test("warnings exit with 1 only if asked for", async () => {
    await using warned = await serve(ORDER_FAULT);
    const only = [warned.url, "--only", "tools-cursor-unknown"];

    expect((await run(only)).code).toBe(0);
    expect((await run([...only, "--fail-on", "warning"])).code).toBe(1);
  });

  test("a baseline excuses known findings, and a stale line fails", async () => {
    const file = join(folder, "baseline.txt");
    writeFileSync(file, "# known\nunknown-revision-status 2026-07-28\n");
    const options = ["--only", "discovery", "--baseline", file];

    expect((await run([faulty.url, ...options])).code).toBe(0);
    const stale = await run([good.url, ...options]);
    expect(stale.code).toBe(1);
    expect(stale.complaints).toContain('names "unknown-revision-status 2026-07-28", which no longer fails');
  });

  test("a recording is judged again without the server", async () => {
    const file = join(folder, "run.jsonl");
    const options = ["--revision", "2026-07-28", "--format", "json"];
    const live = JSON.parse((await run([faulty.url, ...options, "--record", file])).output);
    const replayed = JSON.parse((await run(["replay", file, ...options])).output);

    const verdicts = (report: { findings: { check: string; outcome: string }[] }) =>
      report.findings.map(({ check, outcome }) => `${check} ${outcome}`);
    expect(verdicts(replayed)).toEqual(verdicts(live));
  });

  test("a protected server is checked with a token that no output shows", async () => {
    await using guarded = await serve({}, { token: "s3cret-token" });
    const file = join(folder, "guarded.jsonl");
    const header = ["--header", "Authorization: Bearer $TOKEN"];
    const env = { TOKEN: "s3cret-token" };
    const options = ["--only", "authorization,discovery", "--format", "json", "--record", file];

    const { code, output } = await run([guarded.url, ...header, ...options], env);

    expect(code).toBe(0);
    expect(output).toContain('"check": "auth-challenge"');
    expect(output).not.toContain("s3cret-token");
    expect(readFileSync(file, "utf8")).not.toContain("s3cret-token");
  });

  test("a server that wants a token says how to give one", async () => {
    await using guarded = await serve({}, { token: "s3cret-token" });

    const { code, complaints } = await run([guarded.url]);

    expect(code).toBe(2);
    expect(complaints).toContain("--header 'Authorization: Bearer $TOKEN'");
  });

  test("the report goes to a file", async () => {
    const file = join(folder, "report.html");

    const { output } = await run([good.url, "--only", "discovery", "--format", "html", "--output", file]);

    expect(output).toBe("");
    expect(readFileSync(file, "utf8")).toMatch(/^<!doctype html>/);
  });
});

test("read-only tools are called only if that is allowed", async () => {
  await using server = await serve();
  const options = [server.url, "--only", "tool-result-content", "--revision", "2026-07-28", "--format", "json"];
  const outcome = async (argv: readonly string[]) => JSON.parse((await run(argv)).output).findings[0];

  expect((await outcome(options)).reason).toContain("--allow-calls");
  expect((await outcome([...options, "--allow-calls"])).outcome).toBe("passed");
  expect((await outcome([...options, "--call", "weather={}"])).outcome).toBe("passed");
});

test.each([
  [[], "A URL or a command is required"],
  [["ftp://example.com"], "is no http or https URL"],
  [
    ["http://127.0.0.1:1/mcp", "--format", "yaml"],
    '--format must be one of pretty, json, junit, sarif, html: got "yaml"',
  ],
  [["http://127.0.0.1:1/mcp", "--revision", "2025"], "--revision must be one of"],
  [["http://127.0.0.1:1/mcp", "--header", "Authorization"], '--header must be "Name: value"'],
  [["http://127.0.0.1:1/mcp", "--header", "A: $PARLEY_UNSET"], "needs the environment variable PARLEY_UNSET"],
  [["http://127.0.0.1:1/mcp", "--call", "echo=[1]"], "--call echo must have a JSON object"],
  [["http://127.0.0.1:1/mcp", "--only", "nothing"], "--only nothing matches no check"],
  [["http://127.0.0.1:1/mcp", "--timeout", "soon"], "--timeout must be a number"],
  [["http://127.0.0.1:1/mcp", "--unheard"], "--unheard"],
  [["http://127.0.0.1:1/mcp", "--", "node"], "not both"],
  [["--"], "A command must follow --"],
  [["replay"], "replay takes one file"],
  [["replay", "/no/such/file"], "no such file"],
  [["http://127.0.0.1:1/mcp"], "answers neither server/discover nor initialize"],
])("%j exits with 2 and says why", async (argv, reason) => {
  const { code, complaints } = await run(argv);

  expect(complaints).toContain(reason);
  expect(code).toBe(2);
});

test("--help and --list print and exit with 0", async () => {
  expect((await run(["--help"])).output).toContain("parley-check [options] <url>");
  expect((await run(["--list"])).output).toMatch(/unknown-revision-status\s+failure\s+hosting:http:modern/);
});
