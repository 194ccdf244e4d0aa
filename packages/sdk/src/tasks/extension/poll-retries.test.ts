import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProtocolError, receivedError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { HttpError } from "../../transport/http/http-error.js";
import { repeatPoll } from "./poll-retries.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limit = { limit: "server", retryAfterMs: 1_000 };
const refused = new SdkError("connection-closed", "POST failed", { cause: new Error("ECONNREFUSED") });

/** Polls that fail with each error in turn, and then succeed. */
function failing(...errors: Error[]) {
  let polls = 0;
  const poll = async () => {
    polls += 1;
    const error = errors.shift();
    if (error) throw error;
    return "answer";
  };
  return { poll, polls: () => polls };
}

it.each([
  ["a server that is away", refused],
  ["a server that shuts down", receivedError(429, "The server is shutting down", limit)],
  ["a proxy without a server", new HttpError("502", { status: 502 })],
  ["a server with a rate limit", new HttpError("429", { status: 429 })],
  ["a proxy that waited in vain", new HttpError("504", { status: 504 })],
  ["a server without room", new HttpError("503", { status: 503, retryAfterMs: 2_000 })],
])("repeats a poll after %s", async (_case, error) => {
  const { poll, polls } = failing(error, refused);
  const answered = repeatPoll(poll, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answered).toBe("answer");
  expect(polls()).toBe(3);
});

it.each([
  ["a proxy", new HttpError("503", { status: 503, retryAfterMs: 3_600_000 })],
  ["a server", receivedError(429, "Too many", { limit: "server", retryAfterMs: 3_600_000 })],
])("waits as long as %s asks, and at most 15 seconds", async (_case, error) => {
  const { poll, polls } = failing(error);
  const answered = repeatPoll(poll, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(14_999);
  expect(polls()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answered).toBe("answer");
});

it.each([
  ["an unknown task", receivedError(-32602, "Task not found", undefined)],
  ["a limit that waiting does not help", receivedError(429, "Too many", { limit: "server" })],
  ["a login that is needed", new HttpError("401", { status: 401 })],
  ["a limit of the client itself", new ProtocolError(429, "Too many", { data: limit })],
  ["a closed client", new SdkError("connection-closed", "the connection is closed")],
  ["an exception", new TypeError("wrong")],
])("rejects at once for %s", async (_case, error) => {
  const { poll, polls } = failing(error);
  await expect(repeatPoll(poll, new AbortController().signal)).rejects.toBe(error);
  expect(polls()).toBe(1);
});

it("gives up with the last error after twelve repetitions", async () => {
  const { poll, polls } = failing(...Array.from({ length: 20 }, () => refused));
  const outcome = repeatPoll(poll, new AbortController().signal).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await outcome).toBe(refused);
  expect(polls()).toBe(13);
});

it("stops waiting when the signal aborts", async () => {
  const { poll, polls } = failing(refused);
  const abort = new AbortController();
  const outcome = repeatPoll(poll, abort.signal).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1);
  abort.abort("enough");
  expect(await outcome).toBe("enough");
  expect(polls()).toBe(1);
});
