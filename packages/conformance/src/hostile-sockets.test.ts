/** Servers that misuse HTTP itself: the command ends soon, with a report or with a reason. */
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createRawServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runCommand } from "./cli/command.js";
import { ScriptedHttp } from "./mutants/scripted-http.fixture.js";

/** Misuses one request, on a response or on its socket. */
type Misuse = (response: ServerResponse, socket: Socket) => void;

const MEGABYTE = "x".repeat(1024 * 1024);
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024));

/** Writes again whenever the peer has read, until the connection breaks. */
function writeForEver(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", write);
  write();
}

const MISUSES: readonly (readonly [string, Misuse])[] = [
  ["closes every connection at once", (_response, socket) => void socket.destroy()],
  ["resets every connection", (_response, socket) => void socket.resetAndDestroy()],
  ["speaks no HTTP", (_response, socket) => void socket.end("\u0000\u0001\u0002 good day\n\n")],
  ["says nothing", () => undefined],
  [
    "sends headers of 10 MB",
    (_response, socket) => void socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${MEGABYTE.repeat(10)}\r\n\r\n`),
  ],
  [
    "sends headers without end",
    (_response, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      writeForEver(socket, "X-More: more\r\n");
    },
  ],
  [
    "sends interim responses without end",
    (_response, socket) => writeForEver(socket, "HTTP/1.1 102 Processing\r\n\r\n"),
  ],
  [
    "redirects to itself",
    (response) => void response.writeHead(307, { location: "/mcp", "content-type": "application/json" }).end(),
  ],
  [
    "compresses zeros that nobody asked for",
    (response) =>
      void response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(BOMB),
  ],
  [
    "promises more than it sends",
    (_response, socket) =>
      void socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"),
  ],
  [
    "sends chunks of a size that is none",
    (_response, socket) =>
      void socket.end(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffff\r\n{",
      ),
  ],
  [
    "streams a line without end",
    (response, socket) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      response.write("data: ");
      writeForEver(socket, `10000\r\n${"x".repeat(65_536)}\r\n`);
    },
  ],
];

/** A server that is right for some requests, and misuses those after them. */
async function serve(misuse: Misuse, rightFor: number): Promise<{ url: string } & AsyncDisposable> {
  const scripted = new ScriptedHttp();
  let count = 0;
  const server = createServer(async (request, response) => {
    count += 1;
    response.on("error", () => undefined);
    if (count > rightFor) {
      misuse(response, request.socket);
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const call = { verb: request.method ?? "", headers, body: Buffer.concat(pieces).toString() };
    const reply = scripted.handle(headers, call);
    response.writeHead(reply.status, reply.headers).end(reply.text ?? "");
  });
  server.on("connection", (socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const LIMITS = ["--timeout", "100", "--max-time", "2", "--format", "json"];

async function run(argv: readonly string[]) {
  let output = "";
  let complaints = "";
  const began = performance.now();
  const code = await runCommand({
    argv: [...LIMITS, ...argv],
    env: { PATH: process.env.PATH },
    print: (text) => {
      output += text;
    },
    complain: (text) => {
      complaints += text;
    },
    isTerminal: false,
  });
  return { code, output, complaints, tookMs: performance.now() - began };
}

test.each(MISUSES)("a server that %s cannot be run, and the reason is told", async (_what, misuse) => {
  await using server = await serve(misuse, 0);

  const { code, complaints, tookMs } = await run([server.url]);

  expect(complaints).toContain("answers neither server/discover nor initialize");
  expect(code).toBe(2);
  expect(tookMs).toBeLessThan(10_000);
});

test.each(MISUSES)(
  "a server that %s after a while is reported on",
  async (_what, misuse) => {
    await using server = await serve(misuse, 60);

    const { output, tookMs } = await run([server.url, "--revision", "2026-07-28", "--revision", "2025-11-25"]);
    const { findings } = JSON.parse(output) as { findings: { outcome: string; reason?: string }[] };

    expect(findings.length).toBeGreaterThan(300);
    expect(findings.filter(({ reason }) => reason?.includes("the check itself failed"))).toEqual([]);
    expect(findings.some(({ outcome }) => outcome === "not observed")).toBe(true);
    expect(tookMs).toBeLessThan(20_000);
  },
  30_000,
);

test("a port that accepts connections and reads nothing is given up", async () => {
  const raw = createRawServer((socket) => void socket.on("error", () => undefined).pause());
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));

  const { code } = await run([`http://127.0.0.1:${(raw.address() as AddressInfo).port}/mcp`]);
  raw.close();

  expect(code).toBe(2);
});

/** Launchers such as npx start the real program. */
const startsAnother = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "inherit" });
  setInterval(() => {}, 1e6)`;

test.each([
  ["answers every line with garbage", "process.stdin.on('data', () => console.log('\\u0000{]'))"],
  ["never answers and ignores SIGTERM", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)"],
  ["closes its output and stays", "process.stdout.end(); setInterval(() => {}, 1e6)"],
  [
    "answers with an id of deep JSON",
    "process.stdin.on('data', () => console.log('{\"id\":' + '['.repeat(1e5) + ']'.repeat(1e5) + ',\"result\":{}}'))",
  ],
  ["leaves a program behind that holds its output", startsAnother],
  [
    "writes one line without end",
    "const w = () => { while (process.stdout.write('x'.repeat(65536))); }; process.stdout.on('drain', w); w()",
  ],
])(
  "a program that %s cannot be run",
  async (_what, script) => {
    const { code, tookMs } = await run(["--", process.execPath, "-e", script]);

    expect(code).toBe(2);
    expect(tookMs).toBeLessThan(15_000);
  },
  20_000,
);
