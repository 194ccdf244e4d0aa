import { describe, expect, it } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { downgradeContent } from "./content-downgrade.js";

const text = { type: "text", text: "hello" };
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const link = { type: "resource_link", uri: "notes://today", name: "today" };

describe("downgradeContent", () => {
  it("replaces what the revision has no type for with text that names it, and keeps the order", () => {
    const result = { content: [text, audio, link], isError: false };
    expect(downgradeContent(result, "2024-11-05")).toEqual({
      content: [
        text,
        { type: "text", text: "[audio content, audio/wav: not available in protocol revision 2024-11-05]" },
        { type: "text", text: "today: notes://today" },
      ],
      isError: false,
    });
    expect(result.content).toEqual([text, audio, link]);
  });

  it("prefers a link's title to its name", () => {
    const result = { content: [{ ...link, title: "Today's notes" }] };
    expect(downgradeContent(result, "2025-03-26")).toEqual({
      content: [{ type: "text", text: "Today's notes: notes://today" }],
    });
  });

  it("reaches into prompt messages", () => {
    const message = { role: "user", content: link };
    expect(downgradeContent({ messages: [message, { role: "assistant", content: text }] }, "2025-03-26")).toEqual({
      messages: [
        { role: "user", content: { type: "text", text: "today: notes://today" } },
        { role: "assistant", content: text },
      ],
    });
  });

  it.each<[string, JsonObject]>([
    ["content the revision knows", { content: [text, audio, link] }],
    ["messages the revision knows", { messages: [{ role: "user", content: audio }] }],
    ["a result without content", { tools: [] }],
    ["content that is no block", { content: ["x", { type: 7 }] }],
    ["messages that are none", { messages: [null] }],
  ])("hands %s back as it is", (_case, result) => {
    expect(downgradeContent(result, "2025-06-18")).toBe(result);
  });
});
