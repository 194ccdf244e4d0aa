import { Client, type ServerCommand } from "parley-mcp/client";
import { ChildProcessTransport } from "parley-mcp/node";
import { REVISIONS } from "parley-requirements";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { clientProgram, RawProgram, scriptProgram, serverProgram } from "../../src/stdio/raw-lines.js";
import { verifies } from "../../src/verifies.js";

const PINNED = { name: "client", version: "1.0.0", revision: "2026-07-28", reconnect: false } as const;

/** Starts a program, and waits until it tells of something. */
async function start(script: string, options: Partial<ServerCommand> = {}) {
  const told = deferred<string>();
  const { command, args } = scriptProgram(script);
  const target = { stderr: "ignore", ...options, command, args: [...args, ...(options.args ?? [])] } as const;
  const client = new Client({ ...PINNED, onError: () => {} });
  client.onNotification("*", (_params, method) => told.resolve(method));
  await client.open(target);
  return { client, told: await told.promise };
}

verifies("transport:stdio", "a call crosses to a real process and back, in every revision", async () => {
  for (const revision of REVISIONS) {
    const client = await Client.connect(serverProgram(), { name: "client", version: "1.0.0", revisions: [revision] });
    expect(client.revision).toBe(revision);
    expect(await client.callTool("greet")).toMatchObject({ content: [{ type: "text", text: "hello\nworld" }] });
    await client.close();
  }
});

verifies(
  "transport:stdio:clean-shutdown",
  "a program sees the end of its input when its client closes, and no signal",
  async () => {
    const lines: string[] = [];
    const script = `for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => console.error(signal));
    process.stdin.resume().on("end", () => console.error("end of input")); tell("ready");`;
    const { client } = await start(script, { stderr: (line) => lines.push(line) });
    await client.close();
    expect(lines).toEqual(["end of input"]);
  },
);

verifies(
  "transport:stdio:shutdown-escalation",
  "a program that ignores the end of its input gets SIGTERM, and then SIGKILL",
  async () => {
    const lines: string[] = [];
    const script = `process.on("SIGTERM", () => console.error("SIGTERM")); setInterval(() => {}, 1000);
    tell(String(process.pid));`;
    const options = { exitGraceMs: 1, killGraceMs: 300, stderr: (line: string) => lines.push(line) };
    const { client, told: pid } = await start(script, options);
    await client.close();
    expect(lines).toEqual(["SIGTERM"]);
    expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
  },
);

verifies(
  "transport:stdio:crash",
  "two pending calls reject with the exit code and the last words of a program that dies",
  async () => {
    const errors: Error[] = [];
    const target = { ...serverProgram(), stderr: () => {} };
    const client = await Client.connect(target, { ...PINNED, onError: (error) => errors.push(error) });
    const hanging = deferred();
    const pending = [client.callTool("hang", {}, { onProgress: () => hanging.resolve() })];
    await hanging.promise;
    pending.push(client.callTool("die"));
    for (const outcome of await Promise.allSettled(pending)) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).toMatchObject({ code: "connection-closed", cause: { code: "connection-closed" } });
      expect(reason.cause.message).toMatch(/exited with code 3.*out of memory/s);
    }
    expect(errors).toContainEqual(expect.objectContaining({ code: "invalid-message" }));
    await client.close();
  },
);

verifies(
  "transport:stdio:restart",
  "a second process takes the place of a program that died, and subscriptions are restored",
  async () => {
    const client = await Client.connect(
      { ...serverProgram(), stderr: "ignore" },
      {
        name: "client",
        version: "1.0.0",
        reconnect: { initialDelayMs: 0 },
        onError: () => {},
      },
    );
    const changes = (await client.listen({ tools: true }))[Symbol.asyncIterator]();
    await expect(client.callTool("die")).rejects.toMatchObject({ code: "connection-closed" });
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "hello\nworld" }] });
    expect(await changes.next()).toMatchObject({ value: { kind: "restored" } });
    await client.callTool("change");
    expect(await changes.next()).toMatchObject({ value: { kind: "tools" } });
    await client.close();
  },
);

verifies(
  "transport:stdio:close-ends-subscriptions",
  "the loop of a subscription ends when the client is closed after its program died, in both eras",
  async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const client = await Client.connect(
        { ...serverProgram(), stderr: "ignore" },
        {
          name: "client",
          version: "1.0.0",
          revisions: [revision],
          reconnect: { initialDelayMs: 3_600_000 },
          onError: () => {},
        },
      );
      const next = (await client.listen({ tools: true }))[Symbol.asyncIterator]().next();
      await expect(client.callTool("die")).rejects.toMatchObject({ code: "connection-closed" });
      await client.close();
      expect(await next).toEqual({ done: true, value: undefined });
    }
  },
);

verifies("transport:stdio:argv", "arguments with metacharacters of shells reach a program as they are", async () => {
  const args = ["$HOME", "a b", "*", "; exit 1", "`id`", '"', "\\"];
  const { client, told } = await start("tell(JSON.stringify(process.argv.slice(1))); process.stdin.resume();", {
    args,
  });
  expect(JSON.parse(told)).toEqual(args);
  await client.close();
});

verifies(
  "transport:stdio:default-env-safelist",
  "a program gets PATH and the given variables, and no API key of its parent",
  async () => {
    vi.stubEnv("PARLEY_API_KEY", "secret");
    const script = `const { PATH, PARLEY_API_KEY, GIVEN } = process.env;
    tell(JSON.stringify({ PATH, PARLEY_API_KEY, GIVEN })); process.stdin.resume();`;
    const { client, told } = await start(script, { env: { GIVEN: "given" } });
    expect(JSON.parse(told)).toEqual({ PATH: process.env.PATH, GIVEN: "given" });
    vi.unstubAllEnvs();
    await client.close();
  },
);

verifies(
  "transport:stdio:stderr-passthrough",
  "lines on stderr go where the caller says, and no call fails for them",
  async () => {
    const lines: string[] = [];
    const script = 'console.error("warning: all is well\\nsecond line"); tell("ready"); process.stdin.resume();';
    const { client } = await start(script, { stderr: (line) => lines.push(line) });
    await client.close();
    expect(lines).toEqual(["warning: all is well", "second line"]);

    const { command, args } = serverProgram();
    await using inheriting = new RawProgram(clientProgram([command, ...args]));
    expect(await inheriting.stderr).toContain("written to stdout");
    expect(await inheriting.exited).toEqual([0, null]);
  },
);

verifies(
  "transport:stdio:spawn-failure",
  "the error of a program that cannot be started names the program and what to look at",
  async () => {
    const connecting = Client.connect({ command: "parley-no-such-program" }, { name: "client", version: "1.0.0" });
    await expect(connecting).rejects.toMatchObject({
      code: "spawn-failed",
      message: expect.stringMatching(/"parley-no-such-program".*PATH/),
    });
    const commandLine = Client.connect({ command: "node server.mjs" }, { name: "client", version: "1.0.0" });
    await expect(commandLine).rejects.toMatchObject({
      code: "spawn-failed",
      message: expect.stringMatching(/"node server\.mjs".*`command`.*`args`/),
    });
  },
);

verifies(
  "transport:stdio:started-once",
  "a second client on a started transport is refused, and the first goes on",
  async () => {
    const transport = new ChildProcessTransport(serverProgram());
    const first = await Client.connect(transport, PINNED);
    const second = new Client(PINNED);
    await expect(second.open(transport)).rejects.toMatchObject({ code: "invalid-argument" });
    expect(await first.callTool("greet")).toMatchObject({ content: [{ text: "hello\nworld" }] });
    await first.close();
  },
);

/** A server of the handshake alone, which says when it starts. Its last argument is the only first method it accepts. */
const PARTICULAR = `console.error("started");
  let isOpen = false;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (!isOpen && method !== process.argv.at(-1)) {
      console.error("expected initialize, got " + method);
      process.exit(1);
    }
    isOpen = true;
    if (id === undefined) return;
    const opened = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "p", version: "1" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: method === "initialize" ? opened : {} }) + "\\n");
  });`;

function particular(first: string) {
  const lines: string[] = [];
  const { command, args } = scriptProgram(PARTICULAR);
  return { lines, target: { command, args: [...args, first], stderr: (line: string) => lines.push(line) } };
}

verifies(
  "transport:stdio:exits-on-probe",
  "a program that exits at server/discover is started again with initialize, and the next client starts it once",
  async () => {
    const { lines, target } = particular("initialize");
    const errors: Error[] = [];
    const options = { name: "client", version: "1.0.0", onError: (error: Error) => errors.push(error) };

    const first = await Client.connect(target, options);
    expect(first.revision).toBe("2025-11-25");
    expect(await first.request("ping")).toEqual({});
    await first.close();
    expect(lines).toEqual(["started", "expected initialize, got server/discover", "started"]);

    lines.length = 0;
    const second = await Client.connect(target, options);
    await second.close();
    expect(lines).toEqual(["started"]);
    expect(errors).toEqual([]);
  },
);

verifies(
  ["transport:stdio:exits-on-everything", "client:connect:reported-once"],
  "connecting rejects with its last words and the option that helps, and nothing else is reported",
  async () => {
    const { lines, target } = particular("something else");
    const errors: Error[] = [];
    let closings = 0;
    const options = { name: "client", version: "1.0.0", onError: (error: Error) => errors.push(error) };

    const connecting = Client.connect(target, { ...options, onClose: () => (closings += 1) });

    const error = await connecting.catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: "connection-closed" });
    expect(error).toMatchObject({ message: expect.stringMatching(/got initialize.*revision: "2025-06-18"/s) });
    expect(lines.filter((line) => line === "started")).toHaveLength(2);
    expect([errors, closings]).toEqual([[], 1]);
  },
);

verifies(
  "transport:stdio:exits-on-everything",
  "connecting to a program that answers the handshake with an error rejects with that error",
  async () => {
    const script = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (method !== "initialize") process.exit(1);
      const error = { code: -32000, message: "not today" };
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error }) + "\\n");
    });`;
    const connecting = Client.connect(
      { ...scriptProgram(script), stderr: "ignore" },
      { name: "client", version: "1.0.0", onError: () => {} },
    );
    await expect(connecting).rejects.toMatchObject({ code: -32000, message: "not today" });
  },
);
