import { describe, expect, it } from "vitest";
import type { InputRequest, InputRequiredResult } from "../../protocol/input-required.js";
import { ReplayRound, type RoundState } from "./modern-run.js";
import type { Question } from "./questions.js";

const LIMIT = { method: "tools/call", maxRequests: 8 };

const roots: InputRequest = { method: "roots/list" };
const sampling = (maxTokens: number): InputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [], maxTokens },
});

function question(request: InputRequest, key?: string): Question<unknown> {
  return { request, key, read: (answer) => answer.says };
}

/** Ends a round, and gives what goes out and the state as it comes back. */
async function suspended(round: ReplayRound): Promise<{ result: InputRequiredResult; state: RoundState }> {
  const result = await round.suspend(async (state) => JSON.stringify(state));
  return { result, state: JSON.parse(result.requestState ?? "") };
}

/** A first round in which these are asked. */
async function stateAfterAsking(...questions: Question<unknown>[]): Promise<RoundState> {
  const round = new ReplayRound(LIMIT);
  await Promise.allSettled(questions.map((asked) => round.ask(asked)));
  return (await suspended(round)).state;
}

describe("a round of too many questions", () => {
  it("is refused, and nothing of it goes out", async () => {
    const round = new ReplayRound({ method: "tools/call", maxRequests: 2 });
    const asked = await Promise.allSettled(["a", "b", "a", "c"].map((key) => round.ask(question(roots, key))));
    expect(asked.map((each) => each.status === "rejected" && each.reason.name)).toEqual([
      ...["InputNeeded", "InputNeeded", "InputNeeded"],
      "SdkError",
    ]);
    await expect(round.suspend(async () => "")).rejects.toMatchObject({
      code: "too-large",
      message: expect.stringContaining("tools/call asks more than 2 questions"),
    });
  });
});

describe("a round without answers", () => {
  it("ends with every question that was asked, numbered by kind or under the author's key", async () => {
    const round = new ReplayRound(LIMIT);
    expect(round.isSuspended).toBe(false);

    const asked = await Promise.allSettled([
      round.ask(question(roots)),
      round.ask(question(sampling(1))),
      round.ask(question(sampling(2))),
      round.ask(question(roots, "mine")),
      round.ask(question(roots)),
    ]);

    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
    expect(round.isSuspended).toBe(true);
    const { result } = await suspended(round);
    expect(result).toEqual({
      resultType: "input_required",
      inputRequests: {
        "roots/list#1": roots,
        "sampling/createMessage#1": sampling(1),
        "sampling/createMessage#2": sampling(2),
        mine: roots,
        "roots/list#2": roots,
      },
      requestState: expect.any(String),
    });
  });

  it("leaves to the next round what is asked while its state is being sealed", async () => {
    const round = new ReplayRound(LIMIT);
    void round.ask(question(roots, "in time"));

    const { inputRequests } = await round.suspend(async () => {
      void round.ask(question(roots, "late"));
      return "sealed";
    });

    expect(inputRequests).toEqual({ "in time": roots });
  });

  it("does not mind a question that nobody waits for", async () => {
    const round = new ReplayRound(LIMIT);
    void round.ask(question(roots));
    void round.once("effect", () => Promise.reject(new Error("nobody looks")));
    expect((await suspended(round)).result.inputRequests).toEqual({ "roots/list#1": roots });
  });
});

describe("a round with answers", () => {
  it("returns them where they were asked for, and keeps them for the rounds to come", async () => {
    const first = await stateAfterAsking(question(roots), question(sampling(1), "mine"));
    const second = new ReplayRound(LIMIT, first, { "roots/list#1": { says: "a" }, mine: { says: "b" } });

    expect(await second.ask(question(roots))).toBe("a");
    expect(await second.ask(question(sampling(1), "mine"))).toBe("b");
    expect(second.isSuspended).toBe(false);
    await expect(second.ask(question(roots))).rejects.toThrow("roots/list#2");

    const { result, state } = await suspended(second);
    expect(Object.keys(result.inputRequests ?? {})).toEqual(["roots/list#2"]);
    const third = new ReplayRound(LIMIT, state, { "roots/list#2": { says: "c" } });
    expect(await third.ask(question(roots))).toBe("a");
    expect(await third.ask(question(sampling(1), "mine"))).toBe("b");
    expect(await third.ask(question(roots))).toBe("c");
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["an array", [{ says: "a" }]],
    ["another question's answer", { "roots/list#7": { says: "a" } }],
    ["no object", { "roots/list#1": "a" }],
  ])("asks again where the client sent %s", async (_case, responses) => {
    const state = await stateAfterAsking(question(roots));
    const round = new ReplayRound(LIMIT, state, responses);

    await expect(round.ask(question(roots))).rejects.toThrow("roots/list#1");
    expect((await suspended(round)).result.inputRequests).toEqual({ "roots/list#1": roots });
  });

  it("takes no answer to what was not asked, nor one that every object inherits", async () => {
    const state = await stateAfterAsking(question(roots, "__proto__"), question(roots, "toString"));
    const round = new ReplayRound(LIMIT, state, { invented: { says: "a" } });

    for (const key of ["__proto__", "toString", "invented"]) {
      await expect(round.ask(question(roots, key))).rejects.toThrow(`"${key}"`);
    }
    expect(Object.keys((await suspended(round)).result.inputRequests ?? {})).toHaveLength(3);
  });

  it("takes an answer under any key, those that every object has among them", async () => {
    const round = new ReplayRound(
      LIMIT,
      await stateAfterAsking(question(roots, "__proto__")),
      JSON.parse('{ "__proto__": { "says": "a" } }'),
    );
    expect(await round.ask(question(roots, "__proto__"))).toBe("a");
  });
});

describe("a round that is refused", () => {
  it("fails for two different questions under one key, and takes the same one twice", async () => {
    const round = new ReplayRound(LIMIT);

    for (const request of [sampling(1), sampling(1)]) {
      await expect(round.ask(question(request, "k"))).rejects.toMatchObject({ name: "InputNeeded" });
    }
    await expect(round.ask(question(sampling(2), "k"))).rejects.toMatchObject({ code: "duplicate-name" });

    await expect(suspended(round)).rejects.toMatchObject({ message: expect.stringContaining('"k"') });
  });

  it("fails for a question that is not what it was, whatever the handler makes of that", async () => {
    const state = await stateAfterAsking(question(sampling(1)));
    const round = new ReplayRound(LIMIT, state, { "sampling/createMessage#1": { says: "a" } });

    const asked = round.ask(question(sampling(2)));

    await expect(asked).rejects.toMatchObject({
      code: "questions-changed",
      message: expect.stringContaining('"sampling/createMessage#1"'),
    });
    expect(round.isSuspended).toBe(true);
    await expect(suspended(round)).rejects.toMatchObject({ code: "questions-changed" });
  });

  it("fails for two different questions under one key, and not for the same one asked twice", async () => {
    const twice = new ReplayRound(LIMIT);
    await Promise.allSettled([twice.ask(question(roots, "one")), twice.ask(question({ ...roots }, "one"))]);
    expect((await suspended(twice)).result.inputRequests).toEqual({ one: roots });

    const round = new ReplayRound(LIMIT);
    await Promise.allSettled([round.ask(question(roots, "one")), round.ask(question(sampling(1), "one"))]);
    await expect(suspended(round)).rejects.toMatchObject({
      code: "duplicate-name",
      message: expect.stringContaining('"one"'),
    });
  });

  it("fails for the first answer that cannot be read, and not for the questions still open", async () => {
    const state = await stateAfterAsking(question(roots, "one"), question(roots, "two"));
    const round = new ReplayRound(LIMIT, state, { one: { says: "a" }, two: { says: "b" } });
    const unreadable = (key: string): Question<never> => ({
      request: roots,
      key,
      read: () => Promise.reject(new Error(`${key} makes no sense`)),
    });

    await Promise.allSettled([round.ask(unreadable("one")), round.ask(unreadable("two")), round.ask(question(roots))]);

    await expect(suspended(round)).rejects.toThrow("one makes no sense");
  });
});

describe("effects that run once", () => {
  it("are known in every later round, also if the round ended while they ran", async () => {
    const first = new ReplayRound(LIMIT);
    void first.once("done", () => 1);
    void first.once("late", async () => {
      await Promise.resolve();
      return 2;
    });
    void first.ask(question(roots));
    const { state } = await suspended(first);

    const second = new ReplayRound(LIMIT, state, {});
    const mustNotRun = () => {
      throw new Error("must not run");
    };
    expect(await second.once("done", mustNotRun)).toBe(1);
    expect(await second.once("late", mustNotRun)).toBe(2);
    expect(await second.nextState()).toEqual({ ...state, asked: {} });
  });
});
