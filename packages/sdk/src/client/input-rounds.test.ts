import { describe, expect, it, vi } from "vitest";
import type { InputRequest } from "../protocol/input-required.js";
import type { JsonObject } from "../runtime/json.js";
import type { CallOptions } from "./call-options.js";
import type { SendCall } from "./client-call.js";
import { answerInputRequests, type InputRoundsOptions } from "./input-rounds.js";
import { UnfinishedCalls } from "./unfinished-calls.js";

const roots: InputRequest = { method: "roots/list" };
const required = (needed: JsonObject): JsonObject => ({ resultType: "input_required", ...needed });
const unasked = async (): Promise<never> => {
  throw new Error("nothing is asked");
};

/** Answers each call with the next of the results. */
function answering(...results: JsonObject[]) {
  return vi.fn<SendCall>(async () => results.shift() ?? {});
}

interface Rounds extends Pick<InputRoundsOptions, "maxRounds" | "maxRequests"> {
  readonly answer: InputRoundsOptions["responder"]["answer"];
  readonly options?: CallOptions;
  readonly unfinished?: UnfinishedCalls;
}

const connection = { negotiated: { revision: "2026-07-28", server: {} } } as const;

function runRounds(
  method: string,
  params: JsonObject,
  next: SendCall,
  { answer, maxRounds, maxRequests, options = {}, unfinished = new UnfinishedCalls() }: Rounds,
) {
  const step = answerInputRequests({ responder: { answer }, connection, unfinished, maxRounds, maxRequests });
  return step({ method, params, options }, next);
}

describe("a call in rounds", () => {
  it("that asks too much at once rejects before anything is answered", async () => {
    const inputRequests = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`${index}`, roots]));
    const send = answering(required({ inputRequests }));
    const answer = vi.fn(async () => ({}));

    const call = runRounds("tools/call", {}, send, { answer, maxRounds: 8, maxRequests: 64 });

    await expect(call).rejects.toMatchObject({ code: "too-large", message: expect.stringContaining("65 questions") });
    expect(answer).not.toHaveBeenCalled();
    expect(send).toHaveBeenCalledOnce();
  });

  it("is made once if nothing is asked", async () => {
    const send = answering({ content: [] });

    const result = await runRounds("tools/call", { name: "x" }, send, {
      answer: unasked,
      maxRounds: 8,
      maxRequests: 64,
    });

    expect(result).toEqual({ content: [] });
    expect(send.mock.calls).toEqual([[{ method: "tools/call", params: { name: "x" }, options: {} }]]);
  });

  it("is made again with the answers by key and the state as it came, of the last round alone", async () => {
    const send = answering(
      required({ inputRequests: { one: roots, constructor: roots }, requestState: " st\u00e4te\n" }),
      required({ inputRequests: { three: roots } }),
      required({ requestState: "" }),
      { content: [] },
    );
    let asked = 0;
    const answer = async () => ({ answer: ++asked });

    const options = { id: "mine", timeoutMs: 5 };
    await runRounds("tools/call", { name: "x" }, send, { answer, maxRounds: 3, maxRequests: 64, options });

    const expected: JsonObject[] = [
      { name: "x" },
      {
        name: "x",
        inputResponses: { one: { answer: 1 }, constructor: { answer: 2 } },
        requestState: " st\u00e4te\n",
      },
      { name: "x", inputResponses: { three: { answer: 3 } } },
      { name: "x", requestState: "" },
    ];
    expect(send.mock.calls.map(([call]) => call.params)).toEqual(expected);
    const again = { timeoutMs: 5 };
    expect(send.mock.calls.map(([call]) => call.options)).toEqual([options, again, again, again]);
  });

  it("answers the questions of a round side by side", async () => {
    const send = answering(required({ inputRequests: { one: roots, two: roots } }), {});
    const events: string[] = [];
    const answer = async () => {
      events.push("asked");
      await Promise.resolve();
      events.push("answered");
      return {};
    };

    await runRounds("tools/call", {}, send, { answer, maxRounds: 1, maxRequests: 64 });

    expect(events).toEqual(["asked", "asked", "answered", "answered"]);
  });

  it("ends with what an answer failed with, and is not made again", async () => {
    const send = answering(required({ inputRequests: { one: roots } }), {});
    const refused = new Error("the user said no");
    const answer = () => Promise.reject(refused);

    await expect(runRounds("tools/call", {}, send, { answer, maxRounds: 8, maxRequests: 64 })).rejects.toBe(refused);
    expect(send).toHaveBeenCalledOnce();
  });

  it("ends when the server goes on asking, without answering the last round", async () => {
    const results = Array.from({ length: 4 }, () => required({ inputRequests: { one: roots } }));
    const send = answering(...results);
    const answer = vi.fn(async () => ({}));

    const call = runRounds("tools/call", {}, send, { answer, maxRounds: 2, maxRequests: 64 });

    await expect(call).rejects.toMatchObject({
      code: "too-many-rounds",
      message: expect.stringMatching(/tools\/call.*2 rounds.*maxInputRounds/),
    });
    expect(send).toHaveBeenCalledTimes(3);
    expect(answer).toHaveBeenCalledTimes(2);
  });

  it.each<[string, (controller: AbortController) => void]>([
    ["while it is being answered", (controller) => queueMicrotask(() => controller.abort("enough"))],
    ["by the one who answers", (controller) => controller.abort("enough")],
  ])("does not wait for an answer once it was given up %s", async (_when, giveUp) => {
    const send = answering(required({ inputRequests: { one: roots } }), {});
    const controller = new AbortController();
    const answer = () => {
      giveUp(controller);
      return new Promise<never>(() => undefined);
    };

    const call = runRounds("tools/call", {}, send, {
      answer,
      maxRounds: 8,
      maxRequests: 64,
      options: { signal: controller.signal },
    });

    await expect(call).rejects.toMatchObject({ code: "request-aborted", cause: "enough" });
    expect(send).toHaveBeenCalledOnce();
  });

  it("shows no question once the client is closed", async () => {
    const unfinished = new UnfinishedCalls();
    const send: SendCall = async () => {
      unfinished.close();
      return required({ inputRequests: { one: roots } });
    };
    const answer = vi.fn(async () => ({}));

    const call = runRounds("tools/call", {}, send, { answer, maxRounds: 8, maxRequests: 64, unfinished });

    await expect(call).rejects.toMatchObject({ code: "connection-closed" });
    expect(answer).not.toHaveBeenCalled();
  });

  it("goes on with a signal that nobody aborts, and ends as its answers do", async () => {
    const { signal } = new AbortController();
    const asking = required({ inputRequests: { one: roots } });

    const answered = runRounds("prompts/get", {}, answering(asking, { ok: true }), {
      answer: async () => ({}),
      maxRounds: 1,
      maxRequests: 64,
      options: { signal },
    });
    const failing = runRounds("prompts/get", {}, answering(asking), {
      answer: unasked,
      maxRounds: 1,
      maxRequests: 64,
      options: { signal },
    });

    expect(await answered).toEqual({ ok: true });
    await expect(failing).rejects.toThrow("nothing is asked");
  });

  it("is none for a method that cannot ask", async () => {
    const asking = required({ inputRequests: { one: roots } });

    const result = await runRounds("tools/list", {}, answering(asking), {
      answer: unasked,
      maxRounds: 1,
      maxRequests: 64,
    });

    expect(result).toBe(asking);
  });
});
