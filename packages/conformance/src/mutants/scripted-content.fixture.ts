/** What the scripted server offers: one of everything that a check may look at. */
import type { JsonObject } from "../wire/json-rpc.js";
import { SKILL_CONTENTS, SKILL_RESOURCE } from "./scripted-skills.fixture.js";

export const TOOLS: readonly JsonObject[] = [
  {
    name: "echo",
    title: "Echo",
    description: "Repeats a text",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" }, region: { type: "string", "x-mcp-header": "Region" } },
      required: ["text"],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: "weather",
    description: "Tells the temperature",
    inputSchema: { type: "object" },
    outputSchema: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
    annotations: { readOnlyHint: true },
  },
  {
    name: "noisy",
    description: "Reports progress and logs",
    inputSchema: { type: "object" },
    icons: [{ src: "https://example.com/noisy.png", mimeType: "image/png", sizes: ["48x48"] }],
    annotations: { readOnlyHint: true },
  },
  {
    name: "gallery",
    description: "Returns a block of every kind",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  },
  {
    name: "ask",
    description: "Asks for a form, a model and the roots",
    inputSchema: { type: "object" },
  },
  {
    name: "job",
    description: "Runs as a task",
    inputSchema: { type: "object" },
    execution: { taskSupport: "required" },
  },
  {
    name: "survey",
    description: "Asks for a topic, and then two questions in a task",
    inputSchema: { type: "object" },
  },
];

/** The questions of the tool `ask`, by key. */
export const QUESTIONS: Readonly<Record<string, JsonObject>> = {
  name: {
    method: "elicitation/create",
    params: {
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
  greeting: {
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "Greet" } }], maxTokens: 100 },
  },
  roots: { method: "roots/list" },
};

export const RESOURCES: readonly JsonObject[] = [
  {
    uri: "note://text",
    name: "text",
    mimeType: "text/plain",
    size: 5,
    annotations: { priority: 0.5, audience: ["user"] },
  },
  { uri: "note://blob", name: "blob", mimeType: "application/octet-stream" },
  { uri: "note://more", name: "more" },
  SKILL_RESOURCE,
];

export const CONTENTS: Readonly<Record<string, JsonObject>> = {
  "note://text": { uri: "note://text", mimeType: "text/plain", text: "hello" },
  "note://blob": { uri: "note://blob", mimeType: "application/octet-stream", blob: "aGVsbG8=" },
  "note://more": { uri: "note://more", mimeType: "text/plain", text: "more" },
  ...SKILL_CONTENTS,
};

export const TEMPLATES: readonly JsonObject[] = [
  { uriTemplate: "day://{date}", name: "day", mimeType: "text/plain" },
  { uriTemplate: "city://{name}", name: "city" },
  { uriTemplate: "page://{number}", name: "page" },
];

export const PROMPTS: readonly JsonObject[] = [
  { name: "hello", description: "Says hello" },
  { name: "greet", description: "Greets", arguments: [{ name: "name", description: "Whom", required: true }] },
  { name: "bye", description: "Says goodbye", arguments: [{ name: "mood", required: false }] },
];

export const GALLERY: readonly JsonObject[] = [
  { type: "text", text: "a text" },
  { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
  { type: "audio", data: "aGVsbG8=", mimeType: "audio/wav" },
  { type: "resource_link", uri: "note://text", name: "text" },
  { type: "resource", resource: { uri: "note://text", mimeType: "text/plain", text: "hello" } },
];
