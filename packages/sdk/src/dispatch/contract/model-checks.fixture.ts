/** What must hold whenever everything that was sent has arrived: callers, handlers, wire, and what is kept of them. */
import { getEventListeners } from "node:events";
import { expect, vi } from "vitest";
import type { RequestId } from "../dispatcher.js";
import type { Side } from "./connection.fixture.js";
import type { DispatcherModel } from "./dispatcher-model.fixture.js";
import { type ModelCall, other } from "./model-call.fixture.js";

const SIDES: readonly Side[] = ["left", "right"];

export function checkBurst(model: DispatcherModel): void {
  expect(model.violations).toEqual([]);
  readWire(model);
  // In the order they were made, so that what became of a parent is known before its children are looked at.
  for (const call of model.calls) {
    checkCaller(model, call);
    checkHandler(model, call);
  }
  for (const call of model.calls) {
    checkOutcome(model, call);
    checkProgress(model, call);
    if (!model.burst.isClosing && !model.isClosed) checkCrossed(call);
  }
  checkNotifications(model);
  checkReports(model);
  checkNothingLeft(model);
  for (const call of model.calls) call.forgetBurst();
}

function checkCaller({ burst }: DispatcherModel, call: ModelCall): void {
  if (!call.isOpen) return;
  const ends = call.possibleEnds(burst);
  const isAlone = call.learntWith.length === 1;
  const seen = call.outcome ?? (isAlone ? undefined : likelyEnd(call, ends));
  if (ends.size === 0) expect(seen, about(call, "must still wait")).toBeUndefined();
  else expect([...ends], about(call, "came to the wrong end")).toContain(seen);
  call.end = seen;
}

/** A batch tells its outcomes when the last one is there; until then a cancellation on the wire shows who was faster. */
function likelyEnd(call: ModelCall, ends: ReadonlySet<string>): string | undefined {
  if (ends.size <= 1 || call.crossed.cancellations > 0) return [...ends][0];
  return call.produced;
}

function checkHandler({ burst, isClosed }: DispatcherModel, call: ModelCall): void {
  const { inbound } = call;
  if (call.refusal !== undefined) {
    expect(inbound, about(call, "was refused and served all the same")).toBeUndefined();
    return;
  }
  if (inbound === undefined) {
    expect(burst.isClosing || isClosed, about(call, "was lost on its way")).toBe(true);
    return;
  }
  if (call.handlerEnd === undefined) {
    const isStopped = call.isCancelled || burst.isClosing;
    if (isStopped) call.endHandler(call.isProducedNow && !inbound.signal.aborted ? "answered" : "cut off");
    else if (call.isProducedNow) call.endHandler("answered");
  }
  expect(inbound.isSettled, about(call, "isSettled is wrong")).toBe(call.handlerEnd !== undefined);
  // Looking at the signal makes it, so a handler that does not watch is left alone while it runs.
  if (!call.shape.isWatching && call.handlerEnd === undefined) return;
  expect(inbound.signal.aborted, about(call, "its handler's signal is wrong")).toBe(call.handlerEnd === "cut off");
}

function checkOutcome({ burst }: DispatcherModel, call: ModelCall): void {
  const isTold = call.learntWith.every((each) => !each.isOpen);
  if (isTold && call.refusal !== undefined && call.end === undefined) {
    const expected = burst.isClosing ? [call.refusal, "connection-closed"] : [call.refusal];
    expect(expected, about(call, "was refused for another reason")).toContain(call.outcome);
    call.end = call.outcome;
  }
  expect(call.outcome, about(call, "settled otherwise than it should")).toBe(isTold ? call.end : undefined);
}

function checkProgress(model: DispatcherModel, call: ModelCall): void {
  if (call.refusal !== undefined) return;
  const { heard, reported, heardBefore } = call;
  const isListening = call.shape.hasProgress;
  const hasArrived = isListening ? heard.length > heardBefore : reported.length > 0;
  if (hasArrived && call.shape.restarts) call.restartedAt = model.now;
  if (!isListening) return;
  const { hadTick, isClosing } = model.burst;
  const wasGiven = call.given !== undefined && !hadTick && !isClosing;
  expect(heard, about(call, "heard progress that is not its own, twice, or out of order")).toEqual(
    reported.slice(0, heard.length),
  );
  if (wasGiven || call.isOver) expect(heard.length, about(call, "heard progress after it had ended")).toBe(heardBefore);
  else if (!call.isAbandoned && !isClosing) {
    expect(heard, about(call, "missed progress")).toEqual(reported);
  }
}

function checkCrossed(call: ModelCall): void {
  const wasSent = call.refusal === undefined;
  expect(call.crossed, about(call, "crossed the wire otherwise than it should")).toEqual({
    requests: wasSent ? 1 : 0,
    cancellations: call.isCancelled ? 1 : 0,
    answers: call.handlerEnd === "answered" && call.isAnswerDue ? 1 : 0,
  });
}

function checkNotifications(model: DispatcherModel): void {
  const { isClosing } = model.burst;
  for (const { expected, outcome } of model.notices.splice(0)) {
    const admitted = isClosing ? [expected, "connection-closed", "context-ended"] : [expected];
    expect(admitted).toContain(outcome);
  }
  for (const from of SIDES) {
    const told = model.told[from];
    const heard = model.heard[other(from)];
    expect(heard, "notifications arrive once and in order").toEqual(told.slice(0, heard.length));
    // What a side had not read when it closed is not read any more, nor is what was sent to nobody.
    if (isClosing) told.length = heard.length;
    expect(told.length).toBe(heard.length);
  }
}

function checkReports(model: DispatcherModel): void {
  for (const side of SIDES) {
    const codes = model.connection.errors[side].map((error) => ("code" in error ? error.code : error.message));
    const late = model.calls.filter((call) => call.from === side && call.isAbandoned && call.crossed.answers > 0);
    const expected = [
      ...late.map(() => "unexpected-answer"),
      ...Array.from({ length: model.crashes[side] }, () => "handler-failed"),
    ];
    if (!model.burst.isClosing && !model.isClosed) expect(codes.sort()).toEqual(expected.sort());
    if (model.burst.isClosing) model.reportedWhileClosing[side] = codes.length - model.crashes[side];
    if (model.isClosed) expect(codes.length).toBe(model.reportedWhileClosing[side] + model.crashes[side]);
  }
}

function checkNothingLeft(model: DispatcherModel): void {
  const open = model.calls.filter((call) => call.isOpen);
  expect(model.tables.pending, "rows of waiting requests").toBe(open.length);
  const ties = open.flatMap(({ parent, signal }) => [parent, signal]).filter((tie) => tie !== undefined);
  expect(model.tables.tied, "what a served request or a signal knows of").toBe(ties.length);
  expect(model.tables.served, "rows of served requests").toBe(model.calls.filter((call) => call.isServed).length);
  expect(vi.getTimerCount(), "timers").toBe(open.reduce((sum, call) => sum + call.timers, 0));
  for (const { signal } of model.controllers) {
    const isWatched = open.some((call) => call.signal === signal);
    expect(getEventListeners(signal, "abort").length, "listeners on a caller's signal").toBe(isWatched ? 1 : 0);
  }
  const times = model.burst.isClosing || model.isClosed ? 1 : 0;
  expect(model.closings, "closed() is called once").toEqual({ left: times, right: times });
  if (model.burst.isClosing || model.isClosed) expect([open, model.tables.served]).toEqual([[], 0]);
}

function readWire(model: DispatcherModel): void {
  const { wire } = model.connection;
  if (model.isClosed) expect(wire.length, "something was sent after the end").toBe(model.wireRead);
  for (const { from, message } of wire.slice(model.wireRead)) {
    // A batch is an array, which the log's type does not say.
    const messages: readonly object[] = Array.isArray(message) ? message : [message];
    for (const each of messages) readMessage(model, from, each, Array.isArray(message));
  }
  model.wireRead = wire.length;
}

interface AnyMessage {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly n?: number; readonly requestId?: RequestId };
}

function readMessage(model: DispatcherModel, from: Side, message: AnyMessage, isInBatch: boolean): void {
  const { id, method, params } = message;
  if (method === "notifications/cancelled") {
    const call = lastCall(model, from, params?.requestId);
    if (call !== undefined) call.crossed.cancellations += 1;
  } else if (method !== undefined && id !== undefined) {
    const call = model.calls[params?.n ?? -1];
    expect(call?.id, "a request goes out under its id, to the letter").toBe(id);
    expect(isInBatch).toBe(call?.isBatched);
    if (call !== undefined) call.crossed.requests += 1;
  } else if (method === undefined) {
    const call = lastCall(model, other(from), id);
    expect(call, "an answer to nobody").toBeDefined();
    if (call === undefined) return;
    expect(isInBatch).toBe(call.isBatched);
    call.crossed.answers += 1;
  }
}

function lastCall(model: DispatcherModel, from: Side, id: RequestId | undefined): ModelCall | undefined {
  return model.calls.findLast((call) => call.from === from && call.key === `${id}` && call.crossed.requests > 0);
}

function about(call: ModelCall, complaint: string): string {
  const { n, from, id, shape, parent } = call;
  const context = parent === undefined ? "" : ` for ${parent.n}`;
  return `call ${n} (${shape.method}, id ${JSON.stringify(id)}, from ${from}${context}) ${complaint}`;
}
