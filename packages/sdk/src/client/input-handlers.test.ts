import { describe, expect, it, vi } from "vitest";
import type { ElicitResult, ElicitSchema } from "../protocol/elicitation.js";
import type { InputRequest } from "../protocol/input-required.js";
import type { Root } from "../protocol/roots.js";
import type { CreateMessageResult } from "../protocol/sampling.js";
import { answerInput, declareCapabilities, type InputContext, type InputHandlers } from "./input-handlers.js";

const context: InputContext = { signal: new AbortController().signal, revision: "2026-07-28" };
const requestedSchema: ElicitSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", default: 36 } },
  required: ["name"],
};
const form: InputRequest = { method: "elicitation/create", params: { message: "Who?", requestedSchema } };
const page: InputRequest = {
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in", url: "https://example.com/" },
};
const sampling: InputRequest = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
const roots: InputRequest = { method: "roots/list" };
const sampled: CreateMessageResult = { role: "assistant", content: { type: "text", text: "Hi." }, model: "m" };
const mustNotRun = (): never => {
  throw new Error("must not run");
};

/** Asks a client that declares what its handlers imply. */
const ask = (handlers: InputHandlers, request: InputRequest, declared = declareCapabilities(handlers, {})) =>
  answerInput(handlers, declared, request, context);

describe("what handlers declare", () => {
  it.each<[InputHandlers, object]>([
    [{}, {}],
    [{ elicit: mustNotRun }, { elicitation: { form: {} } }],
    [{ elicitUrl: mustNotRun }, { elicitation: { url: {} } }],
    [{ elicit: mustNotRun, elicitUrl: mustNotRun }, { elicitation: { form: {}, url: {} } }],
    [{ sample: mustNotRun }, { sampling: {} }],
    [{ listRoots: mustNotRun }, { roots: {} }],
  ])("%o", (handlers, capabilities) => {
    expect(declareCapabilities(handlers, {})).toEqual(capabilities);
  });

  it("gives way to what is declared by hand", () => {
    const declared = { sampling: { tools: {} }, experimental: { x: {} } };
    expect(declareCapabilities({ sample: mustNotRun, listRoots: mustNotRun }, declared)).toEqual({
      ...declared,
      roots: {},
    });
  });
});

describe("a form", () => {
  const answer = (given: ElicitResult) => ask({ elicit: () => given, elicitUrl: mustNotRun }, form);

  it("goes to its handler with the context, and defaults fill what was left out", async () => {
    const elicit = vi.fn(
      async (): Promise<ElicitResult> => ({ action: "accept", content: { name: "Ada" }, _meta: {} }),
    );
    expect(await ask({ elicit }, form)).toEqual({ action: "accept", content: { name: "Ada", age: 36 }, _meta: {} });
    expect(elicit).toHaveBeenCalledWith(form.params, context);
  });

  it("may be sent off empty if nothing is required", async () => {
    const params = { message: "Any wishes?", requestedSchema: { type: "object", properties: {} } } as const;
    const answered = await ask({ elicit: () => ({ action: "accept" }) }, { method: "elicitation/create", params });
    expect(answered).toEqual({ action: "accept", content: {} });
  });

  it("that is declined or cancelled takes nothing along of what was typed", async () => {
    expect(await answer({ action: "decline", content: { name: "A" } })).toEqual({ action: "decline" });
    expect(await answer({ action: "cancel" })).toEqual({ action: "cancel" });
  });

  it.each<[ElicitResult, RegExp]>([
    [{ action: "accept" }, /elicit handler.*name/],
    [{ action: "accept", content: { name: "Ada", age: "old" } }, /elicit handler.*content\.age/],
    // Not an answer, which types forbid.
    [{ action: "maybe" } as unknown as ElicitResult, /elicit handler.*answer\.action/],
  ])("refuses %j of its own handler", async (given, complaint) => {
    const message = expect.stringMatching(complaint);
    await expect(answer(given)).rejects.toMatchObject({ code: "invalid-argument", message });
  });
});

describe("a page to open", () => {
  it("goes to its handler with the context, and the action alone comes back", async () => {
    // More than was asked for, which types forbid.
    const elicitUrl = vi.fn(() => ({ action: "accept", content: { token: "x" } }) as { action: "accept" });
    expect(await ask({ elicit: mustNotRun, elicitUrl }, page)).toEqual({ action: "accept" });
    expect(elicitUrl).toHaveBeenCalledWith(page.params, context);
  });

  it("refuses what is no action", async () => {
    // Not an answer, which types forbid.
    const elicitUrl = () => ({ action: "open" }) as unknown as { action: "accept" };
    const message = expect.stringContaining("elicitUrl");
    await expect(ask({ elicitUrl }, page)).rejects.toMatchObject({ code: "invalid-argument", message });
  });
});

describe("a question to the model", () => {
  it("goes to its handler with the context, and its answer back", async () => {
    const sample = vi.fn(async () => sampled);
    expect(await ask({ sample }, sampling)).toEqual(sampled);
    expect(sample).toHaveBeenCalledWith(sampling.params, context);
  });

  it("that is no conversation is refused before the handler", async () => {
    const request: InputRequest = {
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "tool_result", toolUseId: "1", content: [] } }],
        maxTokens: 1,
      },
    };
    const message = expect.stringMatching(/^params\.messages\[0\]/);
    await expect(ask({ sample: mustNotRun }, request)).rejects.toMatchObject({ code: -32602, message });
  });

  it.each<[object, RegExp]>([
    [{ ...sampled, model: undefined }, /answer\.model/],
    [{ ...sampled, role: "user" }, /role/],
    [{ ...sampled, content: { type: "tool_use", id: "1", name: "x", input: {} } }, /none was offered/],
  ])("refuses %j of its own handler", async (given, complaint) => {
    // Some are no answers, which types forbid.
    const sample = () => given as CreateMessageResult;
    const message = expect.stringMatching(complaint);
    await expect(ask({ sample }, sampling)).rejects.toMatchObject({ code: "invalid-argument", message });
  });

  it("holds the answer against the revision", async () => {
    const sample = () => ({ ...sampled, content: [] });
    const older: InputContext = { ...context, revision: "2025-06-18" };
    expect(await ask({ sample }, sampling)).toMatchObject({ content: [] });
    await expect(answerInput({ sample }, { sampling: {} }, sampling, older)).rejects.toMatchObject({
      code: "invalid-argument",
    });
  });
});

describe("a question for roots", () => {
  const given: Root[] = [{ uri: "file:///srv/ada", name: "Ada" }];

  it("is answered with what the handler returns, which is given params and context as the others are", async () => {
    const listRoots = vi.fn(() => given);
    expect(await ask({ listRoots }, roots)).toEqual({ roots: given });
    expect(listRoots.mock.calls).toEqual([[{}, context]]);
    expect(await ask({ listRoots: async () => [] }, roots)).toEqual({ roots: [] });
  });

  it("is not answered with what is no file, or no list", async () => {
    for (const wrong of [[{ uri: "https://a.example/" }], "file:///srv/ada"] as Root[][]) {
      await expect(ask({ listRoots: () => wrong }, roots)).rejects.toMatchObject({ code: "invalid-argument" });
    }
  });
});

describe("what a client does not support", () => {
  const withTools = (given: object): InputRequest =>
    ({ method: "sampling/createMessage", params: { messages: [], maxTokens: 1, ...given } }) as InputRequest;
  const cases: [string, InputHandlers, InputRequest, number, RegExp][] = [
    ["a form", { elicitUrl: mustNotRun }, form, -32602, /form mode/],
    ["a page", { elicit: mustNotRun }, page, -32602, /url mode/],
    ["sampling", {}, sampling, -32600, /sampling/],
    ["tools", { sample: mustNotRun }, withTools({ tools: [] }), -32602, /tools/],
    ["a tool choice", { sample: mustNotRun }, withTools({ toolChoice: {} }), -32602, /tools/],
    ["roots", {}, roots, -32601, /roots\/list/],
  ];

  it.each(cases)("%s: the error has the specification's code", async (_what, handlers, request, code, message) => {
    const error = { name: "ProtocolError", code, message: expect.stringMatching(message) };
    await expect(ask(handlers, request)).rejects.toMatchObject(error);
  });

  it.each(cases.filter(([what]) => !what.includes("tool")))(
    "%s: the same if it is declared by hand, but nobody handles it",
    async (_what, handlers, request, code) => {
      const declared = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
      await expect(ask(handlers, request, declared)).rejects.toMatchObject({ code });
    },
  );
});

it("keeps back an answer whose _meta is against the naming rules", async () => {
  const answering = ask({ elicit: () => ({ action: "decline", _meta: { "a b": 1 } }) }, form);
  await expect(answering).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining('elicitation/create with answer._meta["a b"]: expected a key such as'),
  });
});
