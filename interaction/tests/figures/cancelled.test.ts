/**
 * A hundred thousand cancelled requests, over sockets and against a server in a process of its own. Many share a
 * connection, which HTTP/1.1 allows: with a connection each, the same would take minutes. With an event store there are
 * 10,000, and 100,000 if `SOAK` is set in the environment.
 */
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { BATCH, expectNothingLeft, SHORTENED } from "../../src/figures/held-figures.js";
import { MeasuredProgram } from "../../src/figures/measured-program.js";
import { callPost, post } from "../../src/http/http-posts.js";
import { PipelinedLine, wireText } from "../../src/http/pipelined-line.js";
import { RawHttpClient } from "../../src/http/raw-http-client.js";
import { type Body, verifies } from "../../src/verifies.js";

const SLOW = { deadlineMs: 240_000 };

function leaving(hasEventStore: boolean): Body {
  return async () => {
    await using program = await MeasuredProgram.start("measured-server.js", { hasEventStore });
    const calls = wireText(callPost("hang")).repeat(BATCH);
    const leave = async () => {
      const line = new PipelinedLine(program.port);
      line.write(calls);
      await program.ask({ until: BATCH });
      line[Symbol.dispose]();
      await program.ask({ until: 0 });
    };
    await expectNothingLeft(program, leave, hasEventStore ? SHORTENED : undefined);
  };
}

/** All ids have as many digits, so that requests differ in nothing else. */
const FIRST_ID = 1_000_000;
/** A server stops reading a connection whose answers pile up, so the calls are spread over several. */
const LINES = 10;

function cancelling(hasEventStore: boolean): Body {
  return async () => {
    await using program = await MeasuredProgram.start("measured-server.js", { hasEventStore });
    const { sessionId } = await new RawHttpClient(`http://127.0.0.1:${program.port}/mcp`).open();
    const textFor = (message: JsonObject) => {
      const text = wireText(post({ jsonrpc: "2.0", ...message }, { "mcp-session-id": sessionId }));
      const [before, after] = text.split(String(FIRST_ID));
      return (id: number) => `${before}${id}${after}`;
    };
    // What is said is in the store until the cancellation.
    const says = hasEventStore ? "something" : undefined;
    const call = textFor({ id: FIRST_ID, method: "tools/call", params: { name: "hang", arguments: { says } } });
    const cancel = textFor({ method: "notifications/cancelled", params: { requestId: FIRST_ID } });
    const lines = Array.from({ length: LINES }, () => new PipelinedLine(program.port));
    const cancels = new PipelinedLine(program.port);
    let next = FIRST_ID;
    const cancelThem = async () => {
      const ids = Array.from({ length: BATCH }, (_, index) => next + index);
      next += BATCH;
      for (const [index, line] of lines.entries()) {
        const own = ids.filter((id) => id % LINES === index);
        line.write(own.map(call).join(""));
      }
      await program.ask({ until: BATCH });
      cancels.write(ids.map(cancel).join(""));
      const responses = lines.map((line) => line.responses(BATCH / LINES));
      await Promise.all([program.ask({ until: 0 }), cancels.responses(BATCH), ...responses]);
    };
    const played = await expectNothingLeft(program, cancelThem, hasEventStore ? SHORTENED : undefined);
    expect(Object.fromEntries(cancels.statuses)).toEqual({ 202: played });
    for (const line of [cancels, ...lines]) line[Symbol.dispose]();
  };
}

verifies(
  "figures:cancelled:modern",
  "modern requests whose clients have left leave no handler running and no memory",
  SLOW,
  leaving(false),
);
verifies(
  "figures:cancelled:modern-event-store",
  "modern requests whose clients have left leave nothing behind at a server with an event store either",
  SLOW,
  leaving(true),
);
verifies(
  "figures:cancelled:legacy",
  "cancelled legacy requests leave no handler running and no memory, and their session goes on",
  SLOW,
  cancelling(false),
);
verifies(
  "figures:cancelled:legacy-event-store",
  "cancelled legacy requests at a server with an event store leave no stream and no event",
  SLOW,
  cancelling(true),
);
