import { audio, embeddedResource, image, McpServer, resourceLink, text } from "parley-mcp/server";
import type { ContentBlock } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

function serverReturning(...blocks: ContentBlock[]): McpServer {
  const server = new McpServer({ name: "gallery", version: "1.0.0" });
  server.tool("show", {}, () => blocks);
  return server;
}

verifies(
  "tools:call:content:image",
  "an image in a tool's result arrives with its data and MIME type",
  async ({ connect }) => {
    const image: ContentBlock = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const client = await connect(serverReturning(image));

    const { content } = await client.callTool("show");

    expect(content).toEqual([{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }]);
  },
);

verifies(
  "tools:call:content:audio",
  "audio in a tool's result arrives with its data and MIME type",
  async ({ connect }) => {
    const audio: ContentBlock = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
    const client = await connect(serverReturning(audio));

    const { content } = await client.callTool("show");

    expect(content).toEqual([{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }]);
  },
);

verifies(
  "tools:call:content:audio-downgrade",
  "audio in a tool's result arrives as text that says so, and its neighbors as they are",
  async ({ connect }) => {
    const before: ContentBlock = { type: "text", text: "listen:" };
    const audio: ContentBlock = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
    const client = await connect(serverReturning(before, audio));

    const { content } = await client.callTool("show");

    expect(content).toEqual([before, { type: "text", text: expect.stringMatching(/audio.*audio\/wav/) }]);
    expect(JSON.stringify(content)).not.toContain("UklGRg==");
  },
);

verifies(
  "tools:call:content:resource-link",
  "a resource link in a tool's result arrives with all it says",
  async ({ connect }) => {
    const link: ContentBlock = {
      type: "resource_link",
      uri: "file:///project/main.rs",
      name: "main.rs",
      title: "Entry point",
      description: "Where the program begins",
      mimeType: "text/x-rust",
      size: 4096,
      annotations: { audience: ["assistant"], priority: 0.5 },
    };
    const client = await connect(serverReturning(link));

    const { content } = await client.callTool("show");

    expect(content).toEqual([link]);
  },
);

verifies(
  "tools:call:content:resource-link-downgrade",
  "a resource link in a tool's result arrives as text with its name and URI, and its neighbors as they are",
  async ({ connect }) => {
    const link: ContentBlock = { type: "resource_link", uri: "file:///project/main.rs", name: "entry" };
    const after: ContentBlock = { type: "text", text: "that was it" };
    const client = await connect(serverReturning(link, after));

    const { content } = await client.callTool("show");

    expect(content).toEqual([
      { type: "text", text: expect.stringMatching(/entry.*file:\/\/\/project\/main\.rs/) },
      after,
    ]);
  },
);

verifies(
  "tools:call:content:embedded-resource",
  "embedded resources arrive with URI, MIME type, and text or bytes",
  async ({ connect }) => {
    const text = { uri: "notes://today", mimeType: "text/plain", text: "Buy milk" };
    const blob = { uri: "pixels://one", mimeType: "image/png", blob: "AH//" };
    const client = await connect(
      serverReturning({ type: "resource", resource: text }, { type: "resource", resource: blob }),
    );

    const { content } = await client.callTool("show");

    expect(content).toEqual([
      { type: "resource", resource: { uri: "notes://today", mimeType: "text/plain", text: "Buy milk" } },
      { type: "resource", resource: { uri: "pixels://one", mimeType: "image/png", blob: "AH//" } },
    ]);
  },
);

verifies("tools:call:content:mixed", "blocks of different types keep their order", async ({ connect }) => {
  const blocks: ContentBlock[] = [
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "text", text: "first" },
    { type: "resource", resource: { uri: "notes://today", text: "Buy milk" } },
    { type: "text", text: "second" },
    { type: "image", data: "BBBB", mimeType: "image/jpeg" },
  ];
  const client = await connect(serverReturning(...blocks));

  const { content } = await client.callTool("show");

  expect(content).toEqual(blocks);
});

verifies("tools:call:content:annotations", "the annotations of every block arrive as given", async ({ connect }) => {
  const annotations = { audience: ["user" as const, "assistant" as const], priority: 0 };
  const blocks: ContentBlock[] = [
    { type: "text", text: "quiet", annotations },
    { type: "image", data: "AAAA", mimeType: "image/png", annotations: { priority: 1 } },
    { type: "resource", resource: { uri: "notes://today", text: "Buy milk" }, annotations: { audience: [] } },
  ];
  const client = await connect(serverReturning(...blocks));

  const { content } = await client.callTool("show");

  expect(content.map((block) => block.annotations)).toEqual([
    { audience: ["user", "assistant"], priority: 0 },
    { priority: 1 },
    { audience: [] },
  ]);
});

verifies(
  "tools:content:helpers",
  "each kind of block arrives with its members, and bytes as Base64",
  async ({ connect }) => {
    const server = new McpServer({ name: "blocks", version: "1.0.0" });
    const annotations = { audience: ["user" as const] };
    server.tool("all", () => [
      text("Hello", { annotations }),
      image(Uint8Array.of(1, 2), "image/png"),
      audio("AQI=", "audio/wav", { annotations }),
      resourceLink("notes://today", "today", { mimeType: "text/plain" }),
      embeddedResource({ uri: "notes://raw", blob: Uint8Array.of(3) }),
      embeddedResource({ uri: "notes://text", text: "Buy milk" }, { annotations }),
    ]);
    const client = await connect(server);

    const { content } = await client.callTool("all");

    expect(content).toEqual([
      { type: "text", text: "Hello", annotations },
      { type: "image", data: "AQI=", mimeType: "image/png" },
      { type: "audio", data: "AQI=", mimeType: "audio/wav", annotations },
      { type: "resource_link", uri: "notes://today", name: "today", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "notes://raw", blob: "Aw==" } },
      { type: "resource", resource: { uri: "notes://text", text: "Buy milk" }, annotations },
    ]);
  },
);
