import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InputRequest } from "../../protocol/input-required.js";
import { fingerprint } from "./modern-run.js";

const asking = (text: string, maxTokens = 10): InputRequest => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens },
});

describe("a question's fingerprint", () => {
  it("is the same for an equal question", () => {
    expect(fingerprint(asking("a"))).toBe(fingerprint(asking("a")));
  });

  it("differs for a question that differs anywhere", () => {
    const questions: InputRequest[] = [
      asking("a"),
      asking("b"),
      asking("ab"),
      asking("a", 11),
      asking("\u0161"),
      asking("a\u0000"),
      { method: "roots/list" },
      { method: "roots/list", params: {} },
      { method: "elicitation/create", params: { mode: "url", message: "a", url: "https://a.example/" } },
    ];
    expect(new Set(questions.map(fingerprint)).size).toBe(questions.length);
  });

  it("differs for any two texts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2 }), (texts) => {
        expect(new Set(texts.map((text) => fingerprint(asking(text)))).size).toBe(texts.length);
      }),
    );
  });

  it("differs although one half of it may not", () => {
    const halves = Array.from({ length: 5_000 }, (_, index) => fingerprint(asking(`${index}`)).split("."));
    expect(new Set(halves.map(([first]) => first)).size).toBeGreaterThan(4_990);
    expect(new Set(halves.map(([, second]) => second)).size).toBeGreaterThan(4_990);
  });

  it("is short, however long the question", () => {
    expect(fingerprint(asking("x".repeat(100_000))).length).toBeLessThan(20);
  });
});
