/** Bytes at a real port: whatever they are, the server answers or hangs up, and goes on serving. */
import { connect } from "node:net";
import { type HttpServerHandle, serveHttp } from "../../../packages/sdk/src/hosting/node/serve-http.js";
import { INITIALIZE, MODERN_REQUESTS } from "../messages.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD_BYTES, mutateText } from "../mutate-text.js";
import { requireAnswer, requireNoCrash, served, within } from "../served.js";
import { demand, field, pieces, randomCuts, type Target, toBytes, utf8 } from "../target.js";

const DEADLINE_MS = 5_000;
/** Ours, and what Node says by itself to what is no HTTP. */
const STATUSES: ReadonlySet<string> = new Set("200 202 204 400 403 404 405 406 408 413 415 417 431 501 505".split(" "));

const TOKENS: readonly string[] = [
  ...AWKWARD_BYTES,
  ...["HTTP/1.0", "HTTP/2.0", "Transfer-Encoding: chunked\r\n", "Content-Length: 0\r\n", "Expect: 100-continue\r\n"],
  ...[
    "0\r\n\r\n",
    "5\r\n",
    "ffffffff\r\n",
    "Connection: upgrade\r\nUpgrade: h2c\r\n",
    "Host: \r\n",
    ": ",
    "x".repeat(9_000),
  ],
];

let serving: Promise<HttpServerHandle> | undefined;

export const nodeHost: Target = {
  name: "node-host",
  share: 5,
  maxMs: 3_000,
  outcomes: ["200", "400", "406"],
  generate(random) {
    const message = random.pick([...MODERN_REQUESTS, INITIALIZE]);
    const text = JSON.stringify(random.oneIn(2) ? message : mutateJson(random, message));
    const whole = requestText(message, text);
    const bytes = random.oneIn(4) ? whole : mutateText(random, whole, TOKENS);
    return { bytes, cuts: randomCuts(random, bytes.length) };
  },
  async check(input) {
    const { server, reports } = served();
    serving ??= serveHttp(server, {
      headersTimeoutMs: 1_000,
      bodyTimeoutMs: 1_000,
      idleConnectionMs: 1_000,
    });
    const { port } = await serving;
    const received = await exchange(port, pieces(toBytes(field(input, "bytes")), field(input, "cuts")));
    requireNoCrash(reports);
    if (received === "") return "closed";
    const [, status = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(received) ?? [];
    demand(STATUSES.has(status) || status === "100", "answers with a status of the documented ones", () =>
      received.slice(0, 300),
    );
    checkBody(received);
    return status;
  },
  async close() {
    const server = await serving;
    serving = undefined;
    await server?.close();
  },
};

function requestText(message: object, body: string): string {
  const { method, params } = message as {
    readonly method: string;
    readonly params: { readonly name?: string; uri?: string };
  };
  const name = params.name ?? params.uri;
  const head = [
    "POST /mcp HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    `Mcp-Method: ${method}`,
    ...(name === undefined ? [] : [`Mcp-Name: ${name}`]),
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${utf8(body)}`;
}

/** What comes back until the server hangs up, or has said enough. */
async function exchange(port: number, chunks: readonly Uint8Array[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve()).on("error", () => resolve());
    socket.on("data", (data: Buffer) => {
      received += data.toString("latin1");
      // An event stream stays open until something happens.
      if (/^content-type: text\/event-stream/im.test(received) && received.includes("\n\n")) resolve();
    });
  });
  socket.setNoDelay(true);
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  try {
    await within(DEADLINE_MS, "the end of the connection", closed);
  } finally {
    socket.destroy();
  }
  return received;
}

/** A body of plain JSON is one answer. */
function checkBody(received: string): void {
  const [head = "", body = ""] = received.split(/\r\n\r\n/, 2);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (!/^content-type: application\/json/im.test(head) || length === undefined) return;
  requireAnswer(JSON.parse(toBytes(body.slice(0, Number(length))).toString()));
}
