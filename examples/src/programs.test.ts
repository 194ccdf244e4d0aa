/** The programs that serve and connect, each in a process of its own, over real sockets and pipes. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ConnectTarget } from "parley-mcp/client";
import type { Revision } from "parley-mcp/types";
import { afterAll, describe, expect, test } from "vitest";
import { CompiledExamples } from "../testing/compiled-examples.js";
import { fetch as handle } from "./web-handler.js";

const examples = new CompiledExamples();
afterAll(() => examples[Symbol.dispose]());

const ERAS: readonly Revision[] = ["2025-11-25", "2026-07-28"];

function connect(target: ConnectTarget, revision: Revision): Promise<Client> {
  return Client.connect(target, { name: "test", version: "1.0.0", revisions: [revision] });
}

/** Calls the greenhouse and returns what it answered, with the progress it made. */
async function water(target: ConnectTarget, revision: Revision): Promise<unknown> {
  await using client = await connect(target, revision);
  const steps: unknown[] = [];
  const onProgress = ({ message }: { message?: string }) => steps.push(message);
  const { structuredContent } = await client.callTool("water", { bed: "north", liters: 4 }, { onProgress });
  return { revision: client.revision, structuredContent, steps };
}

describe.each(["http-server", "web-server"])("%s", (name) => {
  test("serves both eras and ends when it is told to", async () => {
    await using program = examples.start(name);
    const url = await program.url();

    for (const revision of ERAS) {
      expect(await water(url, revision)).toEqual({
        revision,
        structuredContent: { bed: "north", moisture: 0.41 },
        steps: ["valve open", "valve closed"],
      });
    }
    expect((await globalThis.fetch(new URL("/elsewhere", url))).status).toBe(404);
    expect(await program.stop()).toBe(0);
  });
});

test("http-server prints a line per exchange and tells why it refused one", async () => {
  await using program = examples.start("http-server");
  const url = await program.url();
  await water(url, "2026-07-28");
  await globalThis.fetch(url, { method: "POST", headers: { origin: "https://evil.example" } });

  expect(await program.printed(/modern tools\/call water 200 [\d.]+ ms/)).toBeTruthy();
  expect(await program.printed(/refused: .*Origin "https:\/\/evil.example"/)).toBeTruthy();
});

test("express-mount leaves authentication and other routes to the application", async () => {
  await using program = examples.start("express-mount");
  const url = await program.url();

  expect(await (await globalThis.fetch(new URL("/", url))).text()).toBe("The MCP endpoint is at /mcp");
  expect((await globalThis.fetch(url, { method: "POST" })).status).toBe(401);
  for (const revision of ERAS) {
    const answer = await water({ url, headers: { authorization: "Bearer let-me-in" } }, revision);
    expect(answer).toMatchObject({ structuredContent: { moisture: 0.41 }, steps: ["valve open", "valve closed"] });
  }
  expect(await program.stop("SIGINT")).toBe(0);
});

test("web-handler answers requests for the names it goes by, and no others", async () => {
  const post = (host: string) =>
    handle(new Request(`https://${host}/mcp`, { method: "POST", headers: { host, "content-type": "text/plain" } }));
  expect((await handle(new Request("https://greenhouse.example.com/"))).status).toBe(200);
  expect((await post("greenhouse.example.com")).status).toBe(415);
  expect((await post("evil.example")).status).toBe(403);
});

test.each(ERAS)("stdio-server serves its client until that closes the input, by %s", async (revision) => {
  const said: string[] = [];
  const stderr = (line: string) => said.push(line);
  const client = await connect({ command: process.execPath, args: [examples.path("stdio-server")], stderr }, revision);

  expect((await client.callTool("days_between", { from: "2026-01-01", to: "2026-03-01" })).structuredContent).toEqual({
    days: 59,
    weeks: 8.429,
  });
  await client.close();
  expect(said).toEqual(["The desk is ready", "The desk is closed"]);
});

describe("client", () => {
  const desk = () => [process.execPath, examples.path("stdio-server")];

  test("lists what a program offers", async () => {
    await using program = examples.start("client", { args: ["--", ...desk()] });
    expect(await program.exited()).toBe(0);
    expect(program.output).toContain("connected to desk by 2026-07-28");
    for (const line of [/^tool +focus_timer +Waits/m, /^resource +desk:\/\/clock +The time/m]) {
      expect(program.output).toMatch(line);
    }
    for (const line of [/^template +desk:\/\/notes\/\{id\}/m, /^prompt +plan_day +A plan/m]) {
      expect(program.output).toMatch(line);
    }
  });

  test("calls a tool at a URL, shows its progress, and fails when the tool does", async () => {
    await using server = examples.start("http-server");
    const url = await server.url();
    const args = (bed: string) => ["--tool", "water", "--args", JSON.stringify({ bed, liters: 4 }), url];

    await using watered = examples.start("client", { args: args("north") });
    expect(await watered.exited()).toBe(0);
    expect(watered.output).toContain("  1/1 valve closed");
    expect(watered.output).toContain('value: {"bed":"north","moisture":0.41}');

    await using failed = examples.start("client", { args: args("moon") });
    expect(await failed.exited()).toBe(1);
    expect(failed.output).toContain('There is no bed "moon"');
  });

  test.each([
    {
      does: "fills in a form with what the user types",
      input: "2026-12-01\n45\n\n",
      says: "2026-12-01, 45 minutes, call",
    },
    { does: "declines when the user types nothing", input: "", says: "No meeting was planned" },
  ])("$does", async ({ input, says }) => {
    const args = ["--tool", "plan_meeting", "--args", '{"topic":"roof"}', "--", ...desk()];
    await using program = examples.start("client", { args, input });
    expect(await program.exited()).toBe(0);
    expect(program.output).toContain("When is the meeting about roof?");
    expect(program.output).toContain(says);
  });

  test("says how it is used when it is told no server", async () => {
    await using program = examples.start("client");
    expect(await program.exited()).toBe(2);
    expect(program.output).toContain("usage: client.js");
  });
});

test("save-skill saves a skill of skill-server, and lists them without a name", async () => {
  const home = await mkdtemp(join(tmpdir(), "parley-skills-"));
  const served = join(home, "served", "git-flow");
  const saved = join(home, "saved");
  await mkdir(served, { recursive: true });
  await mkdir(saved);
  const text = "---\nname: git-flow\ndescription: Branches and commits\n---\n# Git flow\n";
  await writeFile(join(served, "SKILL.md"), text);
  const server = ["--", process.execPath, examples.path("skill-server"), join(home, "served")];

  await using list = examples.start("save-skill", { args: [saved, ...server] });
  expect(await list.exited()).toBe(0);
  expect(list.output).toContain("skill://git-flow/SKILL.md  Branches and commits");
  await using save = examples.start("save-skill", { args: [saved, "skill://git-flow/SKILL.md", ...server] });
  expect(await save.exited()).toBe(0);
  expect(save.output).toContain("saved 1 files to");
  expect(await readFile(join(saved, "git-flow", "SKILL.md"), "utf8")).toBe(text);
  await rm(home, { recursive: true });

  for (const program of ["save-skill", "skill-server"]) {
    await using misused = examples.start(program);
    expect(await misused.exited()).toBe(1);
  }
});
