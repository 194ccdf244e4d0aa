import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Quota } from "../../runtime/quota.js";
import { HttpRefusal } from "../http/http-refusal.js";
import { ArrivingBodies } from "../http/request-message.js";
import { BodyReader } from "./body-reader.js";
import { ConnectionOutputs } from "./connection-output.js";

/** A POST whose body has not arrived. */
function post(): ServerResponse {
  const request = new IncomingMessage(new Socket());
  request.headers["content-length"] = "2";
  return new ServerResponse(request);
}

/** Starts to read the body, and collects the failures. */
function read(response: ServerResponse): unknown[] {
  const failures: unknown[] = [];
  readerOf(response, undefined, failures).start();
  return failures;
}

function readerOf(response: ServerResponse, principal?: string, failures: unknown[] = []): BodyReader {
  const bodies = new ArrivingBodies(1_000, new Quota(10_000, 10_000));
  const outputs = new ConnectionOutputs({ maxQueuedBytes: 1_000, maxTotalQueuedBytes: 1_000, stallTimeoutMs: 1_000 });
  const options = { maxBytes: 1_000, principal, encoding: "utf8" } as const;
  const onFailure = (error: unknown) => failures.push(error);
  return new BodyReader(response, bodies, outputs, { ...options, onText: () => {}, onFailure });
}

describe("a body whose client has disconnected", () => {
  it("is refused at once", () => {
    const response = post();
    response.req.destroy();
    expect(read(response)).toEqual([new HttpRefusal(400)]);
  });

  it("is refused if that happens before the body is read", async () => {
    const response = post();
    const failures = read(response);
    expect(failures).toEqual([]);
    response.req.destroy();
    await once(response.req, "close");
    expect(failures).toEqual([new HttpRefusal(400)]);
  });
});

it("the sender of a body is its principal, or else its connection", () => {
  const response = post();
  expect(readerOf(response, "alice").sender).toBe("alice");
  expect(readerOf(response).sender).toBe(response.req.socket);
});
