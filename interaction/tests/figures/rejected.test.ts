/**
 * Refused requests over sockets, against a server in a process of its own: 100,000 legacy ones and 10,000 modern ones. The
 * modern ones are 100,000 too if `SOAK` is set in the environment.
 */
import { expect } from "vitest";
import { BATCH, expectNothingLeft, SHORTENED } from "../../src/figures/held-figures.js";
import { MeasuredProgram } from "../../src/figures/measured-program.js";
import { callPost, enveloped, initializePost, modernPost, post } from "../../src/http/http-posts.js";
import { PipelinedLine, wireText } from "../../src/http/pipelined-line.js";
import { type Body, verifies } from "../../src/verifies.js";

const SLOW = { deadlineMs: 240_000 };

type Refused = readonly [status: number, request: Parameters<typeof wireText>[0]];

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const STRANGE_SESSION = { "mcp-session-id": "nobody-s" };
const LEGACY: readonly Refused[] = [
  [400, post("{")],
  [400, post("\uFEFF{}")],
  [400, post("[".repeat(2_000))],
  [400, post({ ...PING, id: null })],
  [400, post([PING])],
  [400, post(PING)],
  [404, post(PING, STRANGE_SESSION)],
  [404, post({ jsonrpc: "2.0", method: "notifications/cancelled" }, STRANGE_SESSION)],
  [400, initializePost({ "mcp-protocol-version": "1999-01-01" })],
  [415, initializePost({ "content-type": "text/plain" })],
  [406, initializePost({ accept: "text/html" })],
  [403, initializePost({ host: "evil.example" })],
  [403, initializePost({ origin: "https://evil.example" })],
  [404, initializePost(STRANGE_SESSION)],
  [200, post({ ...PING, method: "initialize", params: { capabilities: {} } })],
  [404, { method: "GET", headers: { accept: "text/event-stream", ...STRANGE_SESSION }, body: "" }],
  [404, { method: "DELETE", headers: STRANGE_SESSION, body: "" }],
  [405, { method: "PUT", headers: {}, body: "{}" }],
];

const CALL = { name: "hang", arguments: {} };
const REVISION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const AS_MODERN = { "mcp-protocol-version": "2026-07-28" };
const UNKNOWN = "2099-01-01";
const MODERN: readonly Refused[] = [
  [400, post("{", AS_MODERN)],
  [400, post([], AS_MODERN)],
  [400, post({ jsonrpc: "2.0", id: 1, result: {} }, AS_MODERN)],
  [400, callPost("hang", {}, { "mcp-protocol-version": undefined })],
  [400, callPost("hang", {}, { "mcp-protocol-version": "2025-11-25" })],
  [400, callPost("hang", {}, { "mcp-method": "tools/list" })],
  [400, callPost("hang", {}, { "mcp-name": "other" })],
  [400, callPost("hang", {}, { "mcp-name": "=?base64?!?=" })],
  [415, callPost("hang", {}, { "content-type": "text/plain" })],
  [406, callPost("hang", {}, { accept: "application/json" })],
  [403, callPost("hang", {}, { origin: "https://evil.example" })],
  [400, modernPost("tools/call", CALL)],
  [400, modernPost("tools/call", enveloped(CALL, { [CAPABILITIES]: undefined }))],
  [400, modernPost("tools/call", enveloped(CALL, { [REVISION]: UNKNOWN }), { "mcp-protocol-version": UNKNOWN })],
  [404, modernPost("tools/teleport")],
  [200, modernPost("tools/call", enveloped({ name: 7 }))],
];

/** After these the server wants the connection no more. */
const OVERSIZED = wireText(post("", { "content-length": String(5 * 1_048_576) }));

function turnedAway(kinds: readonly Refused[], batches?: number): Body {
  return async () => {
    await using program = await MeasuredProgram.start("measured-server.js");
    const played = Array.from({ length: BATCH - 1 }, (_, index) => kinds[index % kinds.length] as Refused);
    const batch = played.map(([, request]) => wireText(request)).join("");
    using line = new PipelinedLine(program.port);
    const sendAll = async () => {
      using another = new PipelinedLine(program.port);
      another.write(OVERSIZED);
      line.write(batch);
      await Promise.all([line.responses(BATCH - 1), another.responses(1)]);
      expect(Object.fromEntries(another.statuses)).toEqual({ 413: 1 });
    };
    const all = await expectNothingLeft(program, sendAll, batches);
    const expected: Record<string, number> = {};
    for (const [status] of played) expected[status] = (expected[status] ?? 0) + all / BATCH;
    expect(Object.fromEntries(line.statuses)).toEqual(expected);
    expect(await program.ask({})).toMatchObject({ opened: 0 });
  };
}

verifies(
  "figures:rejected:legacy",
  "refused legacy requests open no session, leave no stream open and keep no memory",
  SLOW,
  turnedAway(LEGACY),
);
verifies(
  "figures:rejected:modern",
  "refused modern requests run no handler, leave no stream open and keep no memory",
  SLOW,
  turnedAway(MODERN, SHORTENED),
);
