import { expect, it } from "vitest";
import { expectCpuMsBelow } from "../../runtime/cpu-time.fixture.js";
import { PendingResponses } from "./pending-responses.js";
import { answerTo, legacy, notification } from "./transport-set-up.fixture.js";

it("ticks the answers off, one by one or together, whatever else comes with them", () => {
  const awaited = new PendingResponses([legacy(1, "ping"), notification("notifications/x"), legacy("2", "ping")]);
  awaited.take(answerTo(9));
  expect(awaited.ids).toEqual([1, "2"]);
  awaited.take([answerTo(2), legacy(1, "ping"), "no message"]);
  expect(awaited.ids).toEqual([1]);
  awaited.take(answerTo("1"));
  expect(awaited.isEmpty).toBe(true);
});

it("finds no answer in an array that lies in another, which nobody could receive", () => {
  const awaited = new PendingResponses(legacy(1, "ping"));
  expect(awaited.take([[answerTo(1)]])).toEqual([[answerTo(1)]]);
  expect(awaited.isEmpty).toBe(false);
});

it("finds an answer among many awaited ones without a search, so strays cost little", () => {
  const requests = Array.from({ length: 1_000 }, (_, id) => legacy(id, "ping"));
  const strays = Array.from({ length: 50_000 }, (_, index) => answerTo(-1 - index));
  expectCpuMsBelow(200, () => {
    const awaited = new PendingResponses(requests);
    awaited.take(strays);
    expect(awaited.ids).toHaveLength(1_000);
  });
});
