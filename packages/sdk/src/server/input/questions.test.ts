import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ElicitFormParams, ElicitUrlParams } from "../../protocol/elicitation.js";
import type { InputRequest } from "../../protocol/input-required.js";
import type { CreateMessageParams } from "../../protocol/sampling.js";
import type { JsonObject } from "../../runtime/json.js";
import { compileForm } from "../../schema/form-schema.js";
import {
  formQuestion,
  type Question,
  rawQuestion,
  readRaw,
  rootsQuestion,
  samplingQuestion,
  urlQuestion,
} from "./questions.js";

const sampled = { role: "assistant", content: { type: "text", text: "Paris." }, model: "m" };

/** Reading it as the handler's caller would: a throw at once counts as a rejection. */
const reading = async (question: Question<unknown>, answer: JsonObject) => question.read(answer);

async function expectRefused(question: Question<unknown>, answer: JsonObject, complaint: RegExp): Promise<void> {
  await expect(reading(question, answer)).rejects.toMatchObject({
    name: "ProtocolError",
    code: -32602,
    message: expect.stringMatching(complaint),
  });
}

describe("a form", () => {
  const form = compileForm(z.object({ name: z.string().min(2), age: z.number().default(36) }));
  const params: ElicitFormParams = { mode: "form", message: "Who?", requestedSchema: form.requestedSchema };
  const question = formQuestion(params, form, { key: "who" });

  it("goes out as it was written, under its key", () => {
    expect(question).toMatchObject({ request: { method: "elicitation/create", params }, key: "who" });
  });

  it("comes to what the schema yields", async () => {
    expect(await reading(question, { action: "accept", content: { name: "Ada" } })).toEqual({
      action: "accept",
      content: { name: "Ada", age: 36 },
    });
  });

  it("comes to the action alone if it was not sent off", async () => {
    expect(await reading(question, { action: "decline", content: { name: "A" } })).toEqual({ action: "decline" });
    expect(await reading(question, { action: "cancel" })).toEqual({ action: "cancel" });
  });

  it("may be sent off without content if nothing is required", async () => {
    const optional = compileForm(z.object({ age: z.number().default(36) }));
    const asked = formQuestion({ ...params, requestedSchema: optional.requestedSchema }, optional, {});
    expect(await reading(asked, { action: "accept" })).toEqual({ action: "accept", content: { age: 36 } });
  });

  it.each<[JsonObject, RegExp]>([
    [{}, /answer\.action/],
    [{ action: "accept", content: { name: { first: "Ada" } } }, /answer\.content\.name/],
    [{ action: "accept" }, /content\.name/],
    [{ action: "accept", content: { name: "A" } }, /content\.name/],
  ])("refuses %j", async (answer, complaint) => {
    await expectRefused(question, answer, complaint);
  });
});

describe("a page to open", () => {
  const params: ElicitUrlParams = { mode: "url", message: "Sign in", url: "https://example.com/" };
  const question = urlQuestion(params, { timeoutMs: 5 });

  it("goes out as it was written and comes to the action alone", async () => {
    const request = { method: "elicitation/create", params };
    expect(question).toMatchObject({ request, key: undefined, requestOptions: { timeoutMs: 5 } });
    expect(await reading(question, { action: "accept", content: { token: "x" } })).toEqual({ action: "accept" });
  });

  it("refuses what is no answer", async () => {
    await expectRefused(question, { action: "open" }, /answer\.action/);
  });
});

describe("a question to the model", () => {
  const params: CreateMessageParams = { messages: [], maxTokens: 1 };

  it("goes out as it was written and comes to the answer as it is", async () => {
    const question = samplingQuestion(params, "2024-11-05", { key: "capital" });
    expect(question).toMatchObject({ request: { method: "sampling/createMessage", params }, key: "capital" });
    expect(await reading(question, sampled)).toBe(sampled);
  });

  it("refuses what the revision does not have, what nobody offered, and what is no answer", async () => {
    const listed = { ...sampled, content: [sampled.content] };
    await expectRefused(samplingQuestion(params, "2025-06-18", {}), listed, /content/);
    const latest = samplingQuestion(params, "2026-07-28", {});
    expect(await reading(latest, listed)).toBe(listed);
    const using = { ...sampled, content: { type: "tool_use", id: "1", name: "x", input: {} } };
    await expectRefused(latest, using, /none was offered/);
    await expectRefused(latest, { ...sampled, model: 4 }, /answer\.model/);
  });
});

describe("a question for roots", () => {
  it("goes out without params and comes to the list", async () => {
    const { signal } = new AbortController();
    const question = rootsQuestion({ key: "where", signal });
    expect(question).toMatchObject({ request: { method: "roots/list" }, key: "where", requestOptions: { signal } });
    expect(await reading(question, { roots: [{ uri: "file:///a" }] })).toEqual([{ uri: "file:///a" }]);
  });

  it("refuses what is no file, and what is no answer", async () => {
    await expectRefused(rootsQuestion({}), { roots: [{ uri: "https://a.example/" }] }, /roots\[0\]\.uri/);
    await expectRefused(rootsQuestion({}), { roots: "file:///a" }, /answer\.roots/);
  });
});

describe("a question that its author spelled out", () => {
  const page: InputRequest = {
    method: "elicitation/create",
    params: { mode: "url", message: "Sign in", url: "https://example.com/" },
  };

  it("comes to the answer as it is, once that has the method's shape", async () => {
    const question = rawQuestion("mine", page);
    expect(question).toMatchObject({ request: page, key: "mine" });
    const answer = { action: "accept", extra: true };
    expect(await reading(question, answer)).toBe(answer);
    await expectRefused(question, sampled, /answer\.action/);
    expect(readRaw("sampling/createMessage", sampled)).toBe(sampled);
    expect(() => readRaw("roots/list", sampled)).toThrow(/answer\.roots/);
  });
});
