import { expect, it } from "vitest";
import { contentBlockShape, resourceContentsShape } from "./content.js";
import { promptMessageShape } from "./prompts.js";
import { salvage } from "./salvage.js";
import { toolShape } from "./tool-shape.js";

const add = { name: "add", inputSchema: { type: "object" } };
const tools = { field: "tools", shape: toolShape };

it("leaves a sound result as it is", () => {
  const result = { tools: [add] };
  expect(salvage(result, tools)).toEqual({ result, complaints: [], dropped: 0 });
  expect(salvage({}, tools)).toEqual({ result: {}, complaints: [], dropped: 0 });
});

it("drops the smallest malformed part that is optional", () => {
  const icons = [
    { src: "https://a.example/b.png" },
    { src: 1 },
    { mimeType: "image/png" },
    { src: "data:image/png;base64,AAAA" },
  ];
  const broken = { ...add, title: 5, annotations: { title: 7, readOnlyHint: true }, icons, outputSchema: "none" };
  const { result, dropped } = salvage({ tools: [add, broken], nextCursor: "2" }, tools);

  const repaired = {
    ...add,
    annotations: { readOnlyHint: true },
    icons: [{ src: "https://a.example/b.png" }, { src: "data:image/png;base64,AAAA" }],
  };
  expect(result).toEqual({ tools: [add, repaired], nextCursor: "2" });
  expect(dropped).toBe(5);
  expect(broken.title).toBe(5);
});

it("drops an item that lacks what it needs, and names it as it was received", () => {
  const { result, complaints } = salvage({ tools: [{ name: "sub" }, null, add] }, tools);
  expect(result).toEqual({ tools: [add] });
  expect(complaints).toEqual([
    "result.tools[0].inputSchema: expected object, got nothing; the item was left out",
    "result.tools[1]: expected object, got null; the item was left out",
  ]);
});

it("drops content of an unknown type, alone or with its message", () => {
  const text = { type: "text", text: "hi" };
  const video = { type: "video", data: "" };
  const content = { field: "content", shape: contentBlockShape };
  expect(salvage({ content: [video, text] }, content).result).toEqual({ content: [text] });
  const said = { role: "user", content: text };
  const messages = { field: "messages", shape: promptMessageShape };
  expect(salvage({ messages: [said, { role: "user", content: video }] }, messages).result).toEqual({
    messages: [said],
  });
});

it("falls back to the other form of resource contents, or drops them", () => {
  const contents = { field: "contents", shape: resourceContentsShape };
  const given = [
    { uri: "https://a.example/b.png", text: 1, blob: "" },
    { uri: "a:c", text: 1 },
  ];
  const { result, complaints } = salvage({ contents: given }, contents);
  expect(result).toEqual({ contents: [{ uri: "https://a.example/b.png", blob: "" }] });
  expect(complaints[1]).toBe("result.contents[1].text: expected string, got number; the item was left out");
});

it("shows three complaints and counts the rest", () => {
  const { complaints, dropped } = salvage({ tools: Array.from({ length: 50 }, () => ({})) }, tools);
  expect(complaints).toHaveLength(3);
  expect(dropped).toBe(50);
});

it("drops an item with more than eight malformed fields", () => {
  const icons = Array.from({ length: 9 }, () => ({ src: 1 }));
  expect(salvage({ tools: [{ ...add, icons }] }, tools)).toMatchObject({ result: { tools: [] }, dropped: 1 });
  expect(salvage({ tools: [{ ...add, icons: icons.slice(1) }] }, tools)).toMatchObject({
    result: { tools: [{ ...add, icons: [] }] },
    dropped: 8,
  });
});

it("is no answer if all of what is the answer is malformed", () => {
  const content = { field: "content", shape: contentBlockShape, isAnswer: true } as const;
  expect(salvage({ content: [{ type: "video" }] }, content)).toMatchObject({ result: undefined, dropped: 1 });
  expect(salvage({ content: [] }, content).result).toEqual({ content: [] });
});

it("is an answer without its items if another field is one too", () => {
  const content = { field: "content", shape: contentBlockShape, isAnswer: true, besides: "structuredContent" } as const;
  const structuredContent = { sum: 5 };
  const { result, dropped } = salvage({ content: [{ type: "video" }], structuredContent }, content);
  expect(result).toEqual({ content: [], structuredContent });
  expect(dropped).toBe(1);
  expect(salvage({ content: [{ type: "video" }] }, content).result).toBeUndefined();
});
