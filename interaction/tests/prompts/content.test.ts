import { McpServer } from "parley-mcp/server";
import type { PromptMessage } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies("prompts:get:multi-message", "messages of a prompt arrive in order, with both roles", async ({ connect }) => {
  const say = (role: PromptMessage["role"], text: string): PromptMessage => ({ role, content: { type: "text", text } });
  const messages = [say("user", "one"), say("assistant", "two"), say("assistant", "three"), say("user", "four")];
  const server = new McpServer({ name: "dialog", version: "1.0.0" });
  server.prompt("talk", {}, () => messages);
  const client = await connect(server);

  const result = await client.getPrompt("talk");

  expect(result.messages).toEqual(messages);
});

verifies(
  "prompts:get:content:image",
  "an image in a prompt arrives with its data, MIME type and annotations",
  async ({ connect }) => {
    const annotations = { audience: ["user" as const], priority: 1 };
    const content = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png", annotations };
    const server = new McpServer({ name: "painter", version: "1.0.0" });
    server.prompt("describe", {}, () => [{ role: "user", content }]);
    const client = await connect(server);

    const { messages } = await client.getPrompt("describe");

    expect(messages).toEqual([{ role: "user", content }]);
  },
);

verifies("prompts:get:content:audio", "audio in a prompt arrives with its data and MIME type", async ({ connect }) => {
  const content = { type: "audio" as const, data: "UklGRg==", mimeType: "audio/wav" };
  const server = new McpServer({ name: "singer", version: "1.0.0" });
  server.prompt("transcribe", {}, () => [{ role: "user", content }]);
  const client = await connect(server);

  const { messages } = await client.getPrompt("transcribe");

  expect(messages).toEqual([{ role: "user", content }]);
});

verifies(
  "prompts:get:content:embedded-resource",
  "an embedded resource in a prompt arrives with its URI, MIME type, and text or bytes",
  async ({ connect }) => {
    const text = { uri: "files://a.txt", mimeType: "text/plain", text: "Hello" };
    const blob = { uri: "files://b.bin", mimeType: "application/octet-stream", blob: "AAEC" };
    const messages = [text, blob].map(
      (resource): PromptMessage => ({ role: "user", content: { type: "resource", resource } }),
    );
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.prompt("summarize", {}, () => messages);
    const client = await connect(server);

    const result = await client.getPrompt("summarize");

    expect(result.messages).toEqual([
      { role: "user", content: { type: "resource", resource: text } },
      { role: "user", content: { type: "resource", resource: blob } },
    ]);
  },
);

verifies(
  "prompts:get:content:resource-link",
  "a link in a prompt arrives with all that was said about it",
  async ({ connect }) => {
    const content = {
      type: "resource_link" as const,
      uri: "files://main.rs",
      name: "main.rs",
      title: "Main",
      description: "The entry point",
      mimeType: "text/x-rust",
      size: 1234,
      annotations: { priority: 0.5 },
    };
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.prompt("review", {}, () => [{ role: "user", content }]);
    const client = await connect(server);

    const { messages } = await client.getPrompt("review");

    expect(messages).toEqual([{ role: "user", content }]);
  },
);

verifies(
  "prompts:get:content:audio-downgrade",
  "audio in a prompt arrives as text that names it, in its place and role",
  async ({ connect }) => {
    const text = { type: "text" as const, text: "What is sung here?" };
    const server = new McpServer({ name: "singer", version: "1.0.0" });
    server.prompt("transcribe", { description: "Transcribes" }, () => [
      { role: "user", content: text },
      { role: "assistant", content: { type: "audio", data: "UklGRg==", mimeType: "audio/wav" } },
    ]);
    const client = await connect(server);

    const result = await client.getPrompt("transcribe");

    const named = { type: "text", text: expect.stringMatching(/audio.*audio\/wav/) };
    expect(result).toEqual({
      description: "Transcribes",
      messages: [
        { role: "user", content: text },
        { role: "assistant", content: named },
      ],
    });
    expect(JSON.stringify(result)).not.toContain("UklGRg==");
  },
);

verifies(
  "prompts:get:content:resource-link-downgrade",
  "a link in a prompt arrives as text with its name and URI, in its place and role",
  async ({ connect }) => {
    const text = { type: "text" as const, text: "Read this:" };
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.prompt("review", {}, () => [
      { role: "assistant", content: { type: "resource_link", uri: "files://src/main", name: "main.rs" } },
      { role: "user", content: text },
    ]);
    const client = await connect(server);

    const { messages } = await client.getPrompt("review");

    const named = { type: "text", text: expect.stringMatching(/main\.rs.*files:\/\/src\/main/) };
    expect(messages).toEqual([
      { role: "assistant", content: named },
      { role: "user", content: text },
    ]);
  },
);
