import { describe, expect, it } from "vitest";
import { clientCan, requireOfClient, requireQuestions } from "./client-features.js";

const declared = { elicitation: { url: {} }, sampling: {} };
const legacy = { era: "legacy", revision: "2025-11-25", clientCapabilities: declared } as const;
const modern = { ...legacy, era: "modern", revision: "2026-07-28" } as const;
const stateless = { noQuestions: "no sessions", forgetsClient: true };
const plainJson = { noQuestions: "plain JSON" };

describe("what a client can", () => {
  it("is what it declared, in words of its revision", () => {
    expect(clientCan("elicitation.url", legacy, {})).toBe(true);
    expect(clientCan("elicitation.form", legacy, {})).toBe(false);
    expect(clientCan("elicitation.url", { ...legacy, revision: "2025-06-18" }, {})).toBe(false);
    expect(clientCan("roots", modern, {})).toBe(false);
  });

  it("is asked by the names of features", () => {
    const unknown = { code: "invalid-argument", message: expect.stringContaining('got "tools"') };
    expect(() => clientCan("tools" as never, modern, {})).toThrow(expect.objectContaining(unknown));
    expect(() => clientCan(undefined as never, legacy, plainJson)).toThrow('got "undefined"');
  });

  it("is nothing where a legacy connection carries no questions", () => {
    expect(clientCan("sampling", legacy, plainJson)).toBe(false);
    expect(clientCan("sampling", modern, plainJson)).toBe(true);
  });
});

describe("what is required of a client", () => {
  it("is refused with what it lacks, as its era has it", () => {
    expect(() => requireOfClient({ roots: {} }, modern, stateless)).toThrow(expect.objectContaining({ code: -32021 }));
    const lacking = { code: -32602, data: { requiredCapabilities: { roots: {} } } };
    expect(() => requireOfClient({ roots: {} }, legacy, plainJson)).toThrow(expect.objectContaining(lacking));
    expect(() => requireOfClient({ sampling: {} }, legacy, stateless)).not.toThrow();
  });

  it("is refused with the reason where nobody knows what it declared", () => {
    const reason = { code: -32603, message: expect.stringContaining("no sessions") };
    expect(() => requireOfClient({ roots: {} }, legacy, stateless)).toThrow(expect.objectContaining(reason));
  });

  it("is to be reachable in the legacy era", () => {
    expect(() => requireQuestions("legacy", {})).not.toThrow();
    expect(() => requireQuestions("modern", plainJson)).not.toThrow();
    expect(() => requireQuestions("legacy", plainJson)).toThrow(expect.objectContaining({ code: -32603 }));
  });
});
