import { expect, it, vi } from "vitest";
import { receivedError } from "../../errors/protocol-error.js";
import type { JsonObject } from "../../runtime/json.js";
import type { DetailedTask } from "./task-messages.js";
import { type TaskQuestionCall, TaskQuestions } from "./task-questions.js";

type Answering = { readonly signal: AbortSignal; answer(value: JsonObject): void };

/** Questions whose handlers answer when the test says so. */
function askedQuestions(maxInputRequests = 8) {
  const handlers: Answering[] = [];
  const updates: unknown[] = [];
  /** The numbers of answers in one request that the server refuses. */
  const refused = new Set<number>();
  const call = {
    maxInputRequests,
    answer: (_question, { signal } = {}) =>
      new Promise<JsonObject>((resolve) => handlers.push({ signal: signal as AbortSignal, answer: resolve })),
    request: (async (_method: unknown, { inputResponses }: JsonObject) => {
      updates.push(inputResponses);
      if (refused.has(Object.keys(inputResponses as object).length))
        throw receivedError(-32602, "Answer all", undefined);
      return {};
    }) as unknown as TaskQuestionCall["request"],
  } satisfies TaskQuestionCall;
  const failures: unknown[] = [];
  const ended = new AbortController();
  const questions = new TaskQuestions("t1", call, ended.signal, (error) => failures.push(error));
  return { questions, handlers, updates, refused, failures };
}

function state(second: number, ...keys: string[]): DetailedTask {
  const at = `2026-07-28T00:00:0${second}.000Z`;
  const question = { method: "elicitation/create", params: {} } as unknown as NonNullable<
    DetailedTask["inputRequests"]
  >[string];
  const inputRequests = Object.fromEntries(keys.map((key) => [key, question]));
  return { taskId: "t1", status: "input_required", createdAt: at, lastUpdatedAt: at, ttlMs: null, inputRequests };
}

it("aborts the handler of a question that the task no longer asks, and answers the others", async () => {
  const { questions, handlers, updates } = askedQuestions();
  questions.show(state(1, "a", "b"));

  questions.show(state(2, "b"));
  handlers[1]?.answer({ action: "accept" });

  await vi.waitFor(() => expect(updates).toEqual([{ b: { action: "accept" } }]));
  expect(handlers.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(handlers[0]?.signal.reason).toMatchObject({ message: "Task t1 no longer asks this question" });
});

const accepted = { action: "accept" };

it("sends an answer while another question of the same state is open", async () => {
  const { questions, handlers, updates } = askedQuestions();
  questions.show(state(1, "a", "b"));

  handlers[0]?.answer(accepted);
  await vi.waitFor(() => expect(updates).toEqual([{ a: accepted }]));
  handlers[1]?.answer(accepted);

  await vi.waitFor(() => expect(updates).toEqual([{ a: accepted }, { b: accepted }]));
});

it("sends an answer that the server has refused again with the next one", async () => {
  const { questions, handlers, updates, refused, failures } = askedQuestions();
  refused.add(1);
  questions.show(state(1, "a", "b"));

  handlers[0]?.answer(accepted);
  await vi.waitFor(() => expect(updates).toHaveLength(1));
  handlers[1]?.answer(accepted);

  await vi.waitFor(() => expect(updates.at(-1)).toEqual({ a: accepted, b: accepted }));
  expect(updates).toHaveLength(2);
  expect(failures).toEqual([]);
});

it("sends an answer that the server has refused again once the task no longer asks the others", async () => {
  const { questions, handlers, updates, refused } = askedQuestions();
  refused.add(1);
  questions.show(state(1, "a", "b"));
  handlers[0]?.answer(accepted);
  await vi.waitFor(() => expect(updates).toHaveLength(1));

  refused.clear();
  questions.show(state(2, "a"));

  await vi.waitFor(() => expect(updates).toEqual([{ a: accepted }, { a: accepted }]));
});

it("fails with the refusal of the last answer", async () => {
  const { questions, handlers, refused, failures } = askedQuestions();
  refused.add(1);
  questions.show(state(1, "a"));

  handlers[0]?.answer(accepted);

  await vi.waitFor(() => expect(failures).toMatchObject([{ code: -32602 }]));
});

it("withdraws a question whose key is the name of an inherited property", () => {
  const { questions, handlers } = askedQuestions();
  questions.show(state(1, "constructor"));

  questions.show(state(2));

  expect(handlers[0]?.signal.aborted).toBe(true);
});

it("does not take a state from before a question for its end", () => {
  const { questions, handlers } = askedQuestions();
  questions.show(state(2, "a"));

  questions.show(state(1));

  expect(handlers[0]?.signal.aborted).toBe(false);
});

it("takes a state whose date cannot be read for a newer one", () => {
  const { questions, handlers } = askedQuestions();
  questions.show(state(1, "a"));

  questions.show({ ...state(1), lastUpdatedAt: "today" });

  expect(handlers[0]?.signal.aborted).toBe(true);
});

it("refuses questions that together with the open ones are too many at once", () => {
  const { questions, handlers, failures } = askedQuestions(2);
  questions.show(state(1, "a", "b"));

  questions.show(state(2, "a", "b", "c"));

  expect(failures).toMatchObject([{ code: "too-large" }]);
  expect(handlers).toHaveLength(2);
});

it("refuses to go on with a task that asks and withdraws without end", () => {
  const { questions, handlers, failures } = askedQuestions();

  for (let asked = 0; failures.length === 0; asked += 1) {
    questions.show(state(1, `q${asked}`));
    questions.show(state(1));
  }

  expect(failures).toMatchObject([{ code: "too-many-rounds" }]);
  expect(handlers).toHaveLength(1_024);
});

it("refuses questions whose keys together have more than a mebi of characters", () => {
  const { questions, handlers, failures } = askedQuestions();
  questions.show(state(1, "a".repeat(1_048_576)));
  questions.show(state(2));

  questions.show(state(3, "b"));

  expect(failures).toMatchObject([{ code: "too-large" }]);
  expect(handlers).toHaveLength(1);
});

it("aborts the handlers with the reason of a caller that gives up", () => {
  const { questions, handlers } = askedQuestions();
  questions.show(state(1, "a"));

  questions.close("enough");

  expect(handlers[0]?.signal.reason).toBe("enough");
});
