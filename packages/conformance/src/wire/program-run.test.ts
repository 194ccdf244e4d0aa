/** Programs that start others, as npx and sh do. The others hold the same standard streams. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lineProcess } from "./line-process.js";
import { runProgram } from "./program-run.js";

/** What the others connect to. They end when it does. */
let server: Server;

beforeEach(async () => {
  server = createServer((socket) => void socket.on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterEach(async () => {
  server.close();
});

/** Arguments of Node: a program that starts another one, and stays or exits. */
function launcher(after: "stays" | "exits"): string[] {
  const { port } = server.address() as AddressInfo;
  const other = `require("node:net").connect(${port}, "127.0.0.1").on("close", () => process.exit()).on("error", () => undefined)`;
  const start = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(other)}], { stdio: "inherit" })`;
  return [
    "-e",
    after === "stays" ? `${start}; setInterval(() => {}, 1e6)` : `${start}.on("spawn", () => process.exit(0))`,
  ];
}

async function connected(): Promise<Socket> {
  const [socket] = (await once(server, "connection")) as [Socket];
  return socket.resume();
}

test("a run ends at its time limit although another program holds the output, and that program is killed", async () => {
  const other = connected();

  const how = await runProgram(process.execPath, launcher("stays"), process.env, 2000);
  const socket = await other;
  if (!socket.closed) await once(socket, "close");

  expect(how).toBe("exited with SIGKILL");
});

test("a run ends with its program although another one holds the output", async () => {
  const other = connected();

  const how = await runProgram(process.execPath, launcher("exits"), process.env, 60_000);
  (await other).destroy();

  expect(how).toBe("exited with 0");
});

test("a server that is killed takes along the program that it started", async () => {
  const other = connected();
  let onEnd: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    onEnd = resolve;
  });
  const pipe = lineProcess(process.execPath, launcher("stays"), process.env)({ onLine: () => undefined, onEnd });
  const socket = await other;

  pipe.kill();
  await once(socket, "close");

  expect(await ended).toBe("the program exited with SIGKILL");
});
