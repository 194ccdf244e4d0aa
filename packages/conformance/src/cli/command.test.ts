import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FORMATS } from "../formats/index.js";
import { ScriptedHttp } from "../mutants/scripted-http.fixture.js";
import { type Fault, ScriptedServer, type Setup } from "../mutants/scripted-server.fixture.js";
import { listenHttp } from "../wire/http-listener.js";
import { isObject, parseJson } from "../wire/json-rpc.js";
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
    expect(stale.complaints).toContain(`${file}:2 names "unknown-revision-status 2026-07-28", which no longer fails`);
  });

  test("every format shows a finding of the baseline as known", async () => {
    const file = join(folder, "shown.txt");
    writeFileSync(file, "\nunknown-revision-status 2026-07-28 # to be mended\n");
    const options = [faulty.url, "--only", "unknown-revision-status", "--revision", "2026-07-28", "--baseline", file];
    const shown = async (format: string) => (await run([...options, "--format", format])).output;

    const pretty = await shown("pretty");
    expect(pretty).toContain(`known:\n  unknown-revision-status (2026-07-28), failure: ${file}:2\n`);
    expect(pretty).toContain("0 passed, 0 failures, 1 known; ");
    expect(pretty).not.toContain("FAILURE");
    expect(JSON.parse(await shown("json")).findings[0]).toMatchObject({ outcome: "failed", known: `${file}:2` });
    const junit = await shown("junit");
    expect(junit).toContain('tests="1" failures="0" errors="0" skipped="1"');
    expect(junit).toContain(`<skipped message="known (${file}:2): expected HTTP 400, got HTTP 200`);
    const [result] = JSON.parse(await shown("sarif")).runs[0].results;
    expect(result.suppressions).toEqual([{ kind: "external", justification: `${file}:2` }]);
    const html = await shown("html");
    expect(html).toContain('data-kind="known"');
    expect(html).toContain(`<dt>known</dt><dd>${file}:2</dd>`);
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

  test("a replay takes over --only, --revision and --call of the recorded run", async () => {
    const file = join(folder, "selected.jsonl");
    const options = [
      "--revision",
      "2025-11-25,2026-07-28",
      "--only",
      "discovery,tool-result-content",
      "--call",
      "weather={}",
    ];
    const outcomes = async (...argv: readonly string[]) =>
      JSON.parse((await run([...argv, "--format", "json"])).output).findings.map(
        ({ check, revision, outcome }: Record<string, string>) => `${check} ${revision} ${outcome}`,
      );
    const live = await outcomes(good.url, ...options, "--record", file);

    expect(live).toContain("tool-result-content 2026-07-28 passed");
    expect(await outcomes("replay", file)).toEqual(live);
    const narrow = ["--only", "tool-result-content", "--revision", "2025-11-25"];
    expect(await outcomes("replay", file, ...narrow)).toEqual(["tool-result-content 2025-11-25 passed"]);
  });

  test("a recording without options is judged by those of the replay", async () => {
    const file = join(folder, "older.jsonl");
    const options = ["--only", "discovery", "--revision", "2026-07-28", "--format", "json"];
    const live = await run([good.url, ...options, "--record", file]);
    const [first = "", ...rest] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [JSON.stringify({ ...JSON.parse(first), options: undefined }), ...rest].join("\n"));
    const replayed = await run(["replay", file, ...options]);

    expect(JSON.parse(replayed.output).findings.length).toBe(JSON.parse(live.output).findings.length);
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

  test("a server that repeats the token in every form and escape sequences gets neither shown", async () => {
    const token = 's3cr"et-token';
    await using echo = await listenHttp(({ headers, body }) => {
      const message = parseJson(body);
      const { id, method } = isObject(message) ? message : {};
      const said = `${"x".repeat(body.length % 120)} ${headers.authorization} \u001b[2J\u009b31m\uffff`;
      const result = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: { name: said } };
      const answer = method === "server/discover" ? { result } : { error: { code: said, message: said } };
      const reply = JSON.stringify({ jsonrpc: "2.0", id: id ?? null, ...answer });
      return { status: 200, headers: { "content-type": "application/json" }, body: reply };
    });
    const file = join(folder, "echo.jsonl");
    const argv = [
      `${echo.origin}/mcp`,
      "--header",
      "Authorization: Bearer $TOKEN",
      "--only",
      "discovery",
      "--verbose",
      "--record",
      file,
    ];

    for (const format of ["pretty", "json", "junit", "sarif", "html"]) {
      const { output } = await run([...argv, "--format", format], { TOKEN: token });

      expect(output).toContain("***");
      expect(output).not.toMatch(/s3cr|(?![\n\t])\p{Cc}|\uffff/u);
      expect(readFileSync(file, "utf8")).not.toContain("s3cr");
    }
  });

  test("the reason for a run that cannot begin shows neither a secret nor an escape sequence", async () => {
    await using echo = await listenHttp(({ headers }) => {
      const message = `no ${headers.authorization}\u001b[2J`;
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 1, message } });
      return { status: 400, headers: { "content-type": "application/json" }, body };
    });
    const argv = [`${echo.origin}/mcp`, "--header", "Authorization: Bearer $TOKEN"];

    const { complaints } = await run(argv, { TOKEN: "s3cret-token" });

    expect(complaints).toContain("(no ***\\u001b[2J)");
  });

  test("the password of a URL is not shown", async () => {
    const url = good.url.replace("//", "//bob:p4ssword@");

    const { output } = await run([url, "--only", "discovery", "--format", "json"]);

    expect(JSON.parse(output).target).toContain("//***@");
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

    expect(output).toMatch(/^\d+ passed, 0 failures;.*; the report is in .*report\.html\n$/);
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

test("a tool of --call that no revision lists exits with 2 after the report", async () => {
  await using server = await serve();
  const file = join(folder, "unlisted.json");
  const options = ["--revision", "2025-11-25,2026-07-28", "--only", "discovery,lifecycle", "--output", file];

  const { code, complaints } = await run([server.url, ...options, "--call", "nosuch={}", "--call", "weather"]);

  const revisions = "2025-11-25, 2026-07-28";
  expect(complaints).toBe(`parley-check: --call nosuch: the server lists no such tool in ${revisions}\n`);
  expect(code).toBe(2);
  expect(readFileSync(file, "utf8")).toContain("passed");
});

test("a tool of --call that some revisions list is named with the others, and the exit code is that of the findings", async () => {
  await using server = await serve({
    change(reply, { revision }) {
      if (revision === "2026-07-28") return;
      reply.messages = JSON.parse(JSON.stringify(reply.messages).replaceAll('"name":"weather"', '"name":"climate"'));
    },
  });
  const options = ["--revision", "2025-11-25,2026-07-28", "--only", "discovery"];

  const { code, complaints } = await run([server.url, ...options, "--call", "weather={}"]);

  expect(complaints).toBe("parley-check: --call weather: the server lists no such tool in 2025-11-25\n");
  expect(code).toBe(0);
});

test("a list of tools that cannot be read says nothing about --call", async () => {
  await using server = await serve({
    change(reply) {
      if (JSON.stringify(reply.messages).includes('"inputSchema"')) reply.messages = [];
    },
  });

  const { complaints } = await run([server.url, "--only", "discovery", "--call", "nosuch={}"]);

  expect(complaints).toBe("");
});

test.each([
  [[], "A URL or a command is required"],
  [["ftp://example.com"], "is no http or https URL"],
  [["localhost:3000/mcp"], "; write http://localhost:3000/mcp, or for a program: parley-check -- localhost:3000/mcp"],
  [["server.js"], "; for a program write: parley-check -- server.js"],
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
  [["http://127.0.0.1:1/mcp", "--unheard"], "there is no option --unheard\nparley-check --help lists the options.\n"],
  [["http://127.0.0.1:1/mcp", "--constructor"], "there is no option --constructor\n"],
  [["http://127.0.0.1:1/mcp", "-v"], "there is no option -v\n"],
  [["http://127.0.0.1:1/mcp", "--outptu", "x"], "there is no option --outptu; did you mean --output?\n"],
  [["http://127.0.0.1:1/mcp", "--revisions=2026-07-28"], "there is no option --revisions; did you mean --revision?\n"],
  [["http://127.0.0.1:1/mcp", "--output"], "--output needs a value: --output <file>\n"],
  [["http://127.0.0.1:1/mcp", "--output", "--format", "json"], "--output needs a value: --output <file>\n"],
  [["http://127.0.0.1:1/mcp", "--verbose=yes"], "--verbose takes no value\n"],
  [
    ["client", "--call", "echo", "--", "node"],
    "client takes no --call; parley-check client --help lists its options\n",
  ],
  [["replay", "run.jsonl", "--record", "run.jsonl"], "replay takes no --record; parley-check replay --help"],
  [["http://127.0.0.1:1/mcp", "--baseline", "/no/such/file"], "--baseline /no/such/file cannot be read: no such file"],
  [["http://127.0.0.1:1/mcp", "--", "node"], "not both"],
  [["--"], "A command must follow --"],
  [["replay"], "replay takes one file"],
  [["replay", "/no/such/file"], "replay /no/such/file cannot be read: no such file or directory\n"],
  [["replay", folder], `replay ${folder} cannot be read: illegal operation on a directory\n`],
  [["replay", fileURLToPath(import.meta.url)], "command.test.ts is no file of parley-check --record\n"],
  [["http://127.0.0.1:1/mcp"], "answers neither server/discover nor initialize"],
  [["http://127.0.0.1:1/mcp"], "; start the server first, or check the port"],
  [["--", "no-such-program-of-parley"], "; check the command after --"],
  [["--", process.execPath, "-e", "process.exit(3)"], "; run the command by itself to see why it ends"],
  [
    ["--timeout", "100", "--", process.execPath, "-e", "process.stdin.on('data', () => console.log('started'))"],
    '; its standard output has lines that are no messages, such as "started": write logs to standard error',
  ],
  [["--timeout", "50", "--", process.execPath, "-e", "process.stdin.resume()"], "; --timeout 30000 waits longer"],
  [["client", "--only", "client-stdio-restarted", "--", process.execPath, "-e", "0"], "; connect to the URL in MCP_"],
])("%j exits with 2 and says why", async (argv, reason) => {
  const { code, complaints } = await run(argv);

  expect(complaints).toContain(reason);
  expect(code).toBe(2);
});

describe.each(["--output", "--record"])("%s", (option) => {
  test.each([
    ["/no/such/report.txt", "there is no folder /no/such"],
    ["package.json/report.txt", "there is no folder package.json"],
    [".", "it is a folder"],
  ])("to %s exits with 2 before the first request", async (file, reason) => {
    let requests = 0;
    await using listener = await listenHttp(() => {
      requests += 1;
      return { status: 404, headers: {}, body: "" };
    });

    const { code, complaints } = await run([`${listener.origin}/mcp`, option, file]);

    expect(complaints).toContain(`${option} ${file} cannot be written: ${reason}\n`);
    expect(code).toBe(2);
    expect(requests).toBe(0);
  });
});

test("--output leaves the file as it is if the check cannot run", async () => {
  const file = join(folder, "kept.txt");
  writeFileSync(file, "kept");

  await run(["http://127.0.0.1:1/mcp", "--output", file]);

  expect(readFileSync(file, "utf8")).toBe("kept");
});

test.each([
  ["this line is wrong", 'known.txt:2: "this line is wrong" must be a check and a revision, such as'],
  ["tool-unknown", 'known.txt:2: "tool-unknown" must be a check and a revision, such as'],
  ["tool-unheard 2025-11-25", 'known.txt:2: no check is named "tool-unheard"; --list shows the checks'],
  ["tool-unknown 2025-11", 'known.txt:2: "2025-11" is no revision; revisions are 2024-11-05, '],
])("a baseline with the line %j is an error", async (line, reason) => {
  const file = join(folder, "known.txt");
  writeFileSync(file, `# known\n${line}\n`);

  const { code, complaints } = await run(["http://127.0.0.1:1/mcp", "--baseline", file]);

  expect(complaints).toContain(reason);
  expect(code).toBe(2);
});

test("a baseline may name checks of servers, clients and authorization servers", async () => {
  const file = join(folder, "all.txt");
  writeFileSync(file, "tool-unknown 2025-11-25\nclient-initialize 2025-11-25\nissuer-same 2026-07-28\n");

  const { complaints } = await run(["http://127.0.0.1:1/mcp", "--baseline", file]);

  expect(complaints).toContain("start the server first");
});

test("a URL that is no endpoint is said to have another path", async () => {
  await using listener = await listenHttp(() => ({ status: 404, headers: {}, body: "Not found" }));
  const { code, complaints } = await run([`${listener.origin}/wrong`]);

  expect(complaints).toContain("(HTTP 404); check the path of the URL: many servers have their endpoint at /mcp");
  expect(code).toBe(2);
});

test("a client is checked with a progress line on a terminal", async () => {
  let output = "";
  const print = (text: string) => {
    output += text;
  };
  const program = "fetch(process.env.MCP_SERVER_URL, { method: 'POST', body: '{}' })";
  const argv = ["client", "--only", "client-initialize", "--", process.execPath, "-e", program];
  await runCommand({ argv, env: process.env, print, complain: print, isTerminal: true });

  expect(output).toContain("3 of 3 checks");
});

test("a client that sends deep JSON is judged", async () => {
  const program = `fetch(process.env.MCP_SERVER_URL, { method: "POST", body: '{"jsonrpc":"2.0","id":' + '['.repeat(1e5) + ']'.repeat(1e5) + ',"method":"initialize"}' })`;

  const { code } = await run(["client", "--only", "client-initialize", "--", process.execPath, "-e", program]);

  expect(code).toBe(0);
});

test("scenarios that have not begun in time are not observed", async () => {
  const program =
    "fetch(process.env.MCP_SERVER_URL, { method: 'POST', body: '{}' }).then(() => setInterval(() => {}, 1e6))";
  const options = [
    "--timeout",
    "1500",
    "--max-time",
    "1",
    "--format",
    "json",
    "--only",
    "client-legacy-requests,client-conversations",
  ];

  const { output } = await run(["client", ...options, "--", process.execPath, "-e", program]);

  const reasons = JSON.parse(output).findings.map(({ reason }: { reason?: string }) => reason);
  expect(reasons).toContain("the time of the run is over; --max-time allows more");
});

test("--help, --list and --version print and exit with 0", async () => {
  expect(await run(["--version"])).toMatchObject({ output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), code: 0 });
  expect((await run(["--help"])).output).toContain("parley-check [options] <url>");
  expect((await run(["--help"])).output).toContain(`--format ${Object.keys(FORMATS).join("|")}`);
  expect((await run(["--list"])).output).toMatch(/unknown-revision-status\s+failure\s+hosting:http:modern/);
});

describe("--help", () => {
  const lineOf = (output: string, option: string) => output.split("\n").find((line) => line.startsWith(`  ${option} `));

  test("names both time limits", async () => {
    expect(lineOf((await run(["--help"])).output, "--timeout <ms>")).toMatch(
      /default: 5000.*client \(default: 30000\)/,
    );
  });

  test.each([
    ["client", "--revision 2026-07-28", "--call", "MCP_SERVER_COMMAND"],
    ["auth", "--timeout <ms>", "--revision", "authorization_servers"],
    ["replay", "--call tool='{\"a\":1}'", "--record", "of the recorded run"],
  ])("of %s has its part alone", async (command, option, foreign, detail) => {
    const { code, output } = await run([command, "--help"]);

    expect(code).toBe(0);
    expect(output.split("\n").filter((line) => line.startsWith("  parley-check"))).toEqual([
      expect.stringContaining(`parley-check ${command} `),
    ]);
    expect(lineOf(output, option)).toBeDefined();
    expect(output).not.toMatch(new RegExp(`^ {2}${foreign} `, "m"));
    expect(output).toContain(detail);
  });
});
