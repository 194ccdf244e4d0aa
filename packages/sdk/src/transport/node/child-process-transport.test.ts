import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ServerCommand } from "../server-command.js";
import { ChildProcessLifecycle } from "./child-process-lifecycle.js";
import { ChildProcessTransport } from "./child-process-transport.js";
import { RecordingReceiver } from "./recording-receiver.fixture.js";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;
/** In every program: says something on stdout as a message. */
const TELL = 'const tell = (method) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", method }) + "\\n");';
const ECHO = "process.stdin.pipe(process.stdout);";
const STAY = "setInterval(() => {}, 1000);";

const opened: ChildProcessTransport[] = [];

function create(program: string, options: Partial<ServerCommand> = {}): ChildProcessTransport {
  const args = ["-e", TELL + program, "--", ...(options.args ?? [])];
  const transport = new ChildProcessTransport({ stderr: "ignore", ...options, command: process.execPath, args });
  opened.push(transport);
  return transport;
}

async function run(program: string, options?: Partial<ServerCommand>) {
  const transport = create(program, options);
  const inbox = new RecordingReceiver();
  await transport.start(inbox);
  return { transport, inbox };
}

/** What a program tells with `tell`. */
async function told(inbox: RecordingReceiver): Promise<string> {
  const arrival = await inbox.next();
  if (arrival.kind !== "message") throw new Error(`expected a message, got ${arrival.kind}: ${arrival.error}`);
  return (arrival.message as { method: string }).method;
}

function isAlive(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
}

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "parley-child-")));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((transport) => transport.close()));
  await rm(folder, { recursive: true });
});

describe("ChildProcessTransport", () => {
  it("speaks to a program, and ends it by closing its input", async () => {
    const { transport, inbox } = await run(ECHO);
    const { pid } = transport;
    await transport.send(ping);
    expect(await inbox.next()).toEqual({ kind: "message", message: ping });
    expect(isAlive(pid)).toBe(true);
    await transport.close();
    await transport.close();
    expect([isAlive(pid), transport.pid]).toEqual([false, undefined]);
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
    expect(inbox.rest).toEqual([]);
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("holds what the program says to the limits on JSON", async () => {
    const { transport, inbox } = await run(ECHO, { maxJsonNodes: 12, maxJsonDepth: 2 });
    await transport.send({ ...ping, params: { x: [] } });
    await transport.send({ ...ping, params: { x: "y", z: "w" } });
    await transport.send(ping);
    for (const complaint of ["2 levels", "12 arrays"]) {
      expect(await inbox.next()).toMatchObject({ error: { message: expect.stringContaining(complaint) } });
    }
    expect(await inbox.next()).toEqual({ kind: "message", message: ping });
  });

  it("hands arguments over as they are, without a shell", async () => {
    const args = ["$HOME; exit 1", "two words", "*", "`id`", '"'];
    const { inbox } = await run(`tell(JSON.stringify(process.argv.slice(1))); ${ECHO}`, { args });
    expect(JSON.parse(await told(inbox))).toEqual(args);
  });

  it("runs the program in the given folder, with few variables and the given ones", async () => {
    vi.stubEnv("PARLEY_SECRET", "hidden");
    const program = `const { PATH, PARLEY_SECRET, GIVEN } = process.env;
      tell(JSON.stringify({ PATH, PARLEY_SECRET, GIVEN, cwd: process.cwd() })); ${ECHO}`;
    const { inbox } = await run(program, { env: { GIVEN: "given" }, cwd: folder });
    expect(JSON.parse(await told(inbox))).toEqual({ PATH: process.env.PATH, GIVEN: "given", cwd: folder });
    vi.unstubAllEnvs();
  });

  it("skips noise on stdout, reports it, and goes on", async () => {
    const { inbox } = await run(`console.log("Listening on 3000"); console.log({ a: 1 }); tell("ready"); ${ECHO}`);
    expect(await inbox.next()).toMatchObject({ error: { message: expect.stringContaining('"Listening on 3000"') } });
    expect(await inbox.next()).toMatchObject({ error: { code: "invalid-message" } });
    expect(await told(inbox)).toBe("ready");
  });

  it("says once that it stops reporting noise, and delivers the messages after it", async () => {
    const { inbox } = await run(
      `for (let line = 0; line < 2_000; line += 1) console.log("noise"); tell("ready"); ${ECHO}`,
    );
    let reports = 0;
    let arrival = await inbox.next();
    for (; arrival.kind !== "message"; arrival = await inbox.next()) reports += 1;
    expect(arrival.message).toMatchObject({ method: "ready" });
    expect(reports).toBeLessThan(2_000);
  });

  it("hands the lines of stderr on, and reports a callback that fails on one", async () => {
    const lines: string[] = [];
    const stderr = (line: string) => {
      lines.push(line);
      if (line === "bad") throw new Error("no such sink");
    };
    const { transport, inbox } = await run(`console.error("one\\nbad\\ntwo"); ${ECHO}`, { stderr });
    expect(await inbox.next()).toMatchObject({
      kind: "unreadable",
      error: { code: "handler-failed", cause: { message: "no such sink" } },
    });
    await transport.close();
    expect(lines).toEqual(["one", "bad", "two"]);
  });

  it("hands on what is written to stderr after the program itself has ended", async () => {
    const lines: string[] = [];
    let isUp = () => {};
    const up = new Promise<void>((resolve) => {
      isUp = resolve;
    });
    const late = `console.error("up");
      process.stdin.resume().on("end", () => setTimeout(() => console.error("late"), 50));`;
    const program = `require("node:child_process")
      .spawn(process.execPath, ["-e", ${JSON.stringify(late)}], { stdio: ["pipe", "ignore", "inherit"] });
      process.stdin.resume().on("end", () => process.exit());`;
    const { transport } = await run(program, {
      stderr: (line) => {
        lines.push(line);
        isUp();
      },
    });
    await up;
    await transport.close();
    expect(lines).toEqual(["up", "late"]);
  });

  it("lets stderr through where it is not told otherwise", async () => {
    const transport = new ChildProcessTransport({ command: process.execPath, args: ["-e", ECHO] });
    opened.push(transport);
    await transport.start(new RecordingReceiver());
    await transport.close();
    expect(transport.pid).toBeUndefined();
  });

  it.each([
    ["there is no such program", { command: "parley-no-such-program" }],
    ["there is no such program", { command: "parley no such program", args: ["a"] }],
    ["what follows into `args`", { command: "node file.mjs" }],
    ["no such working directory", { command: process.execPath, cwd: "parley-no-such-folder" }],
    ["argument", { command: process.execPath, args: ["\0"] }],
  ])("says what to check when %s", async (text, command) => {
    const transport = new ChildProcessTransport(command);
    const started = transport.start(new RecordingReceiver());
    await expect(started).rejects.toMatchObject({ code: "spawn-failed", message: expect.stringContaining(text) });
    await expect(started).rejects.toHaveProperty("message", expect.stringContaining(command.command));
    await transport.close();
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
  });

  it("says that a file may not be run", async () => {
    const file = join(folder, "server");
    await writeFile(file, "");
    await chmod(file, 0o600);
    const started = new ChildProcessTransport({ command: file }).start(new RecordingReceiver());
    await expect(started).rejects.toMatchObject({
      code: "spawn-failed",
      message: expect.stringContaining("executable"),
      cause: { code: "EACCES" },
    });
  });

  it("explains a crash with the exit code and the last lines of stderr, after what was sent before it", async () => {
    const program =
      'tell("last"); process.stdout.write("{\\"jsonrpc\\":"); console.error("out of disk"); process.exitCode = 3;';
    const { transport, inbox } = await run(program, { stderr: () => {} });
    expect(await told(inbox)).toBe("last");
    expect(await inbox.next()).toMatchObject({ kind: "unreadable", error: { code: "invalid-message" } });
    const { error } = (await inbox.next()) as { error: Error };
    expect(error).toMatchObject({ code: "connection-closed" });
    expect(error.message).toContain("exited with code 3");
    expect(error.message).toContain("out of disk");
    await transport.close();
    expect(inbox.rest).toEqual([]);
  });

  it("names the signal that ended the program", async () => {
    const { transport, inbox } = await run(`tell("ready"); ${STAY}`);
    await told(inbox);
    process.kill(transport.pid ?? 0, "SIGKILL");
    expect(await inbox.next()).toMatchObject({
      kind: "closed",
      error: { message: expect.stringContaining("SIGKILL") },
    });
  });

  it("sends SIGTERM to a program that ignores the end of its input", async () => {
    const lines: string[] = [];
    const program = `process.on("SIGTERM", () => { console.error("asked"); process.exit(); }); tell("ready"); ${STAY}`;
    const { transport, inbox } = await run(program, { stderr: (line) => lines.push(line), exitGraceMs: 1 });
    await told(inbox);
    const { pid } = transport;
    await transport.close();
    expect([lines, isAlive(pid)]).toEqual([["asked"], false]);
  });

  it("gives a program two seconds for the end of its input, two for SIGTERM, and half of one to drain by default", async () => {
    const end = vi.spyOn(ChildProcessLifecycle.prototype, "end");
    onTestFinished(() => end.mockRestore());
    const { transport } = await run(ECHO);
    await transport.close();
    expect(end).toHaveBeenCalledExactlyOnceWith({ exitGraceMs: 2_000, killGraceMs: 2_000, drainMs: 500 });
  });

  it("kills a program that ignores SIGTERM, too", async () => {
    const program = `process.on("SIGTERM", () => {}); tell("ready"); ${STAY}`;
    const { transport, inbox } = await run(program, { exitGraceMs: 1, killGraceMs: 1 });
    await told(inbox);
    const { pid } = transport;
    await transport.close();
    // The signal was sent; the operating system may take a moment.
    await vi.waitUntil(() => !isAlive(pid));
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
  });

  it("empties the output of a program that is closing, so that it can get to its end", async () => {
    const program = `process.stdin.resume().on("end", () => {
      process.stdout.write("x".repeat(4_000_000) + "\\n", (error) => error || require("node:fs").writeFileSync("done", ""));
    }); tell("ready");`;
    const { transport, inbox } = await run(program, { cwd: folder, exitGraceMs: 60_000 });
    await told(inbox);
    await transport.close();
    await expect(realpath(join(folder, "done"))).resolves.toBeDefined();
  });

  it("gives a program up that closes its output, and ends it", async () => {
    const { transport, inbox } = await run(`require("node:fs").closeSync(1); ${STAY}`, { exitGraceMs: 1 });
    expect(await inbox.next()).toMatchObject({
      kind: "closed",
      error: { message: expect.stringContaining("closed its standard streams") },
    });
    await transport.close();
    expect(transport.pid).toBeUndefined();
  });

  it("gives a program up that closes its input", async () => {
    const program = `require("node:fs").closeSync(0); tell("ready"); ${STAY}`;
    const { transport, inbox } = await run(program, { exitGraceMs: 1 });
    await told(inbox);
    await Promise.allSettled([transport.send(ping)]);
    expect(await inbox.next()).toMatchObject({
      kind: "closed",
      error: { message: expect.stringMatching(/standard streams.*EPIPE/), cause: { code: "EPIPE" } },
    });
  });

  it("does not wait for what the program has left behind holding its output", async () => {
    const program = `const { spawn } = require("node:child_process");
      const left = spawn(process.execPath, ["-e", ${JSON.stringify(STAY)}], { stdio: "inherit", detached: true });
      left.unref(); tell(String(left.pid)); process.stdin.destroy();`;
    const { inbox } = await run(program);
    const pid = Number(await told(inbox));
    expect(await inbox.next()).toMatchObject({ kind: "closed", error: { message: expect.stringContaining("code 0") } });
    process.kill(pid, "SIGKILL");
  });

  it("leaves no timer once it is closed", async () => {
    const [set, clear] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    const { transport } = await run(ECHO);
    await transport.close();
    const timers = set.mock.results.map(({ value }) => value);
    const left = timers.filter((timer) => !clear.mock.calls.some(([cleared]) => cleared === timer));
    set.mockRestore();
    clear.mockRestore();
    expect(timers.length).toBeGreaterThan(0);
    expect(left).toEqual([]);
  });

  it("can be closed before it starts and while it does, and starts once", async () => {
    const early = create(ECHO);
    await early.close();
    await expect(early.start(new RecordingReceiver())).rejects.toMatchObject({ code: "connection-closed" });

    const inbox = new RecordingReceiver();
    const transport = create(ECHO);
    await expect(transport.send(ping)).rejects.toMatchObject({ code: "connection-closed" });
    const started = transport.start(inbox);
    await expect(transport.start(inbox)).rejects.toMatchObject({ code: "invalid-argument" });
    await transport.close();
    await started;
    expect(transport.pid).toBeUndefined();
    expect(await inbox.next()).toEqual({ kind: "closed", error: undefined });
  });

  it("stops its programs when this process exits, with one listener for all of them", async () => {
    const before = process.listeners("exit");
    const added = () => process.listeners("exit").filter((listener) => !before.includes(listener));
    const children = [await run(STAY)];
    expect(added()).toHaveLength(1);
    children.push(await run(STAY), await run(STAY));
    expect(added()).toHaveLength(1);
    added()[0]?.(0);
    for (const { inbox } of children) {
      expect(await inbox.next()).toMatchObject({ error: { message: expect.stringContaining("SIGTERM") } });
    }
    await Promise.all(children.map(({ transport }) => transport.close()));
    expect(process.listeners("exit")).toEqual(before);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ command: "node", args: "file.mjs" }, 'args: expected a list of strings such as ["server.mjs"], got "file.mjs"'],
    [{ command: "node", args: [7] }, "args: expected a list of strings"],
    [{ command: ["node", "file.mjs"] }, 'command: expected the name of a program, got ["node","file.mjs"]'],
    [{ command: "" }, "command: expected the name of a program"],
  ])("refuses a command that plain JavaScript may give: %j", (command, message) => {
    // What types would refuse.
    const given = command as unknown as ServerCommand;
    expect(() => new ChildProcessTransport(given)).toThrow(
      expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(message) }),
    );
  });

  it("refuses limits that are none before anything is started", () => {
    expect(() => new ChildProcessTransport({ command: "x", maxLineBytes: 0 })).toThrow("maxLineBytes");
  });
});
