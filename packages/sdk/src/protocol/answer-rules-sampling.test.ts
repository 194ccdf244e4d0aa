import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samplingAnswerComplaint, samplingRequestComplaint } from "./answer-rules.js";
import { REVISIONS, type Revision } from "./revisions.js";
import type { CreateMessageParams, CreateMessageResult, SamplingContentBlock, SamplingMessage } from "./sampling.js";

const text: SamplingContentBlock = { type: "text", text: "hello" };
const audio: SamplingContentBlock = { type: "audio", data: "", mimeType: "audio/wav" };
const use = (id: string): SamplingContentBlock => ({ type: "tool_use", id, name: "look", input: {} });
const settle = (toolUseId: string): SamplingContentBlock => ({ type: "tool_result", toolUseId, content: [] });
const user = (...content: SamplingContentBlock[]): SamplingMessage => ({ role: "user", content });
const assistant = (...content: SamplingContentBlock[]): SamplingMessage => ({ role: "assistant", content });
const tools: NonNullable<CreateMessageParams["tools"]> = [{ name: "look", inputSchema: { type: "object" } }];

const withTools = REVISIONS.filter((revision) => revision >= "2025-11-25");
const withoutTools = REVISIONS.filter((revision) => revision < "2025-11-25");

describe("a conversation for a model", () => {
  function complaint(messages: SamplingMessage[], revision: Revision = "2026-07-28"): string | undefined {
    return samplingRequestComplaint({ messages, maxTokens: 10 }, revision);
  }

  test.each(REVISIONS)("of single blocks is fine in %s", (revision) => {
    const image: SamplingContentBlock = { type: "image", data: "", mimeType: "image/png" };
    const messages: SamplingMessage[] = [
      { role: "user", content: text },
      { role: "assistant", content: image },
    ];
    expect(complaint(messages, revision)).toBeUndefined();
    expect(complaint([], revision)).toBeUndefined();
  });

  test("has sound since 2025-03-26", () => {
    const messages: SamplingMessage[] = [{ role: "user", content: audio }];
    expect(complaint(messages, "2024-11-05")).toBe("messages[0].content: revision 2024-11-05 has no audio blocks");
    expect(complaint(messages, "2025-03-26")).toBeUndefined();
  });

  test.each(withoutTools)("has neither lists nor tools in %s", (revision) => {
    const needs = `needs revision 2025-11-25 or later, not ${revision}`;
    expect(complaint([user(text)], revision)).toBe(`messages[0].content: a list ${needs}`);
    expect(complaint([{ role: "assistant", content: use("a") }], revision)).toBe(
      `messages[0].content: revision ${revision} has no tool_use blocks`,
    );
    const params = { messages: [], maxTokens: 10 };
    expect(samplingRequestComplaint({ ...params, tools }, revision)).toBe(`tools ${needs}`);
    expect(samplingRequestComplaint({ ...params, toolChoice: {} }, revision)).toBe(`toolChoice ${needs}`);
  });

  test.each(withTools)("has lists and tools in %s", (revision) => {
    const messages = [user(text, audio), assistant(text, use("a"), use("b")), user(settle("b"), settle("a"))];
    const params = { messages, maxTokens: 10, tools, toolChoice: { mode: "auto" as const } };
    expect(samplingRequestComplaint(params, revision)).toBeUndefined();
  });

  test.each<[string, SamplingMessage[], string]>([
    ["a use with nothing after it", [assistant(use("a"))], 'messages: tool_use "a" in the last one has no tool_result'],
    ["a use before text", [assistant(use("a")), user(text)], 'messages[1].content: lacks the tool_result for "a"'],
    [
      "a use before the assistant",
      [assistant(use("a")), assistant(text)],
      "messages[1].content: lacks the tool_result",
    ],
    ["half the results", [assistant(use("a"), use("b")), user(settle("a"))], 'lacks the tool_result for "b"'],
    [
      "mixed results",
      [assistant(use("a")), user(settle("a"), text)],
      "messages[1].content: tool results must not be mixed",
    ],
    ["a result of nothing", [user(settle("a"))], 'messages[0].content: tool_result "a" answers no tool_use'],
    [
      "a late result",
      [assistant(use("a")), user(settle("a")), user(settle("a"))],
      'messages[2].content: tool_result "a"',
    ],
    ["two results", [assistant(use("a")), user(settle("a"), settle("a"))], "has several tool_result blocks for one id"],
    ["two uses", [assistant(use("a"), use("a"))], "messages[0].content: has several tool_use blocks for one id"],
    ["a user's use", [user(use("a"))], "messages[0].content: only the assistant uses tools"],
    ["a result by the assistant", [assistant(settle("a"))], "messages[0].content: only the user gives tool results"],
    ["an endless id", [assistant(use("x".repeat(1e5)))], `messages: tool_use "${"x".repeat(100)}…" in the last one`],
  ])("is refused over %s", (_, messages, message) => {
    expect(complaint(messages)).toContain(message);
  });

  test("is fine when every use is settled next, and refused when any part of that is taken away", () => {
    const rounds = fc.array(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(rounds, fc.nat(), fc.nat(), (ids, atRound, atId) => {
        const converse = (left: (round: number, id: number) => boolean) =>
          ids.flatMap((round, i) => [
            assistant(text, ...round.map(use)),
            user(...round.filter((_, j) => left(i, j)).map(settle)),
          ]);
        const lost = atRound % ids.length;
        const lostId = atId % (ids[lost] ?? []).length;
        expect(complaint(converse(() => true))).toBeUndefined();
        expect(complaint(converse((round, id) => round !== lost || id !== lostId))).toContain("lacks the tool_result");
      }),
    );
  });
});

describe("a model's answer", () => {
  const asked: CreateMessageParams = { messages: [], maxTokens: 10 };

  function complaint(
    result: SamplingMessage,
    params: object = {},
    revision: Revision = "2026-07-28",
  ): string | undefined {
    const answer: CreateMessageResult = { ...result, model: "m" };
    return samplingAnswerComplaint({ ...asked, ...params }, answer, revision);
  }

  test.each(REVISIONS)("is one block of text in %s", (revision) => {
    expect(complaint({ role: "assistant", content: text }, {}, revision)).toBeUndefined();
    expect(complaint({ role: "user", content: text }, {}, revision)).toContain('role: a model answers as "assistant"');
  });

  test("is a list, or sound, where the revision has it", () => {
    for (const revision of withTools) expect(complaint(assistant(text, audio), {}, revision)).toBeUndefined();
    for (const revision of withoutTools)
      expect(complaint(assistant(text), {}, revision)).toContain("content: a list needs");
    expect(complaint({ role: "assistant", content: audio }, {}, "2024-11-05")).toContain("has no audio blocks");
  });

  test("uses tools only if some were offered", () => {
    const none = "content: uses a tool, but none was offered";
    expect(complaint(assistant(use("a")))).toBe(none);
    expect(complaint({ role: "assistant", content: use("a") }, { tools: [] })).toBe(none);
    expect(complaint(assistant(text, use("a"), use("b")), { tools })).toBeUndefined();
    expect(complaint(assistant(use("a")), { tools, toolChoice: { mode: "none" } })).toContain('choice was "none"');
    expect(complaint(assistant(use("a")), { tools, toolChoice: { mode: "required" } })).toBeUndefined();
    expect(complaint(assistant(text), { tools, toolChoice: { mode: "required" } })).toBeUndefined();
    expect(complaint(assistant(use("a"), use("a")), { tools })).toContain("several tool_use blocks for one id");
    expect(complaint(assistant(settle("a")), { tools })).toContain("tool_result blocks are for requests");
  });
});
