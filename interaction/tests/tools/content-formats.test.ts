import { McpServer } from "parley-mcp/server";
import type { ContentBlock } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

/** What onError heard, each error with its cause. */
function reporting(): { reports: string[]; onError: (error: Error) => void } {
  const reports: string[] = [];
  return { reports, onError: (error) => reports.push(`${error.message} ${error.cause}`) };
}

const wrongBlocks: readonly [field: string, block: ContentBlock][] = [
  ["content[0].data", { type: "image", data: "wrong!", mimeType: "image/png" }],
  ["content[0].data", { type: "audio", data: "d3Jvbmc", mimeType: "audio/wav" }],
  ["content[0].data", { type: "image", data: `${"AAAA".repeat(5_000)}\nwrong!=`, mimeType: "image/png" }],
  ["content[0].mimeType", { type: "image", data: "AAAA", mimeType: "wrong!" }],
  ["content[0].resource.uri", { type: "resource", resource: { uri: "wrong!", text: "" } }],
  ["content[0].resource.blob", { type: "resource", resource: { uri: "a://b", blob: "wrong!" } }],
  ["content[0].uri", { type: "resource_link", uri: "wrong!", name: "link" }],
  ["content[0].annotations.priority", { type: "text", text: "wrong!", annotations: { priority: 1.5 } }],
];

verifies(
  "tools:call:content:formats",
  "a wrong block does not leave a tool, and onError hears which field is wrong",
  async ({ connect }) => {
    for (const [field, block] of wrongBlocks) {
      const { reports, onError } = reporting();
      const server = new McpServer({ name: "gallery", version: "1.0.0", onError });
      server.tool("show", {}, () => [block]);
      const client = await connect(server);

      const outcome = await client.callTool("show").catch((error: unknown) => error);

      expect(JSON.stringify(outcome)).not.toContain("wrong!");
      expect(reports).toEqual([expect.stringContaining('tool "show"')]);
      expect(reports[0]).toContain(`result.${field}: expected`);
    }
  },
);

verifies("tools:call:content:bytes", "bytes arrive as Base64, in blocks and in a full result", async ({ connect }) => {
  const server = new McpServer({ name: "gallery", version: "1.0.0" });
  const bytes = new Uint8Array([0, 127, 255]);
  server.tool("blocks", {}, () => [
    { type: "text", text: "before" },
    { type: "image", data: bytes, mimeType: "image/png" },
    { type: "audio", data: bytes, mimeType: "audio/wav" },
  ]);
  server.tool("result", {}, () => ({
    content: [{ type: "resource", resource: { uri: "a://b", blob: bytes } }],
    isError: true,
  }));
  const client = await connect(server);

  const { content: blocks } = await client.callTool("blocks");
  const { content: embedded } = await client.callTool("result");

  expect(blocks).toEqual([
    { type: "text", text: "before" },
    { type: "image", data: "AH//", mimeType: "image/png" },
    { type: "audio", data: "AH//", mimeType: "audio/wav" },
  ]);
  expect(embedded).toEqual([{ type: "resource", resource: { uri: "a://b", blob: "AH//" } }]);
});

verifies(
  "prompts:get:content:formats",
  "images and sounds of a prompt arrive as Base64, and wrong ones are -32603 and reported with their field",
  async ({ connect }) => {
    const { reports, onError } = reporting();
    const server = new McpServer({ name: "gallery", version: "1.0.0", onError });
    const image = { type: "image", mimeType: "image/png" } as const;
    server.prompt("bytes", {}, () => [{ role: "user", content: { ...image, data: new Uint8Array([1]) } }]);
    server.prompt("full", {}, () => ({
      messages: [{ role: "user", content: { ...image, data: new Uint8Array([2]) } }],
    }));
    server.prompt("wrong-data", {}, () => [{ role: "user", content: { ...image, data: "no base64" } }]);
    server.prompt("wrong-type", {}, () => [{ role: "user", content: { ...image, mimeType: "png", data: "AAAA" } }]);
    const client = await connect(server);

    const bytes = await client.getPrompt("bytes");
    const full = await client.getPrompt("full");

    expect(bytes.messages[0]?.content).toEqual({ ...image, data: "AQ==" });
    expect(full.messages[0]?.content).toEqual({ ...image, data: "Ag==" });
    await expect(client.getPrompt("wrong-data")).rejects.toMatchObject({ code: -32603 });
    await expect(client.getPrompt("wrong-type")).rejects.toMatchObject({ code: -32603 });
    expect(reports[0]).toContain('prompt "wrong-data" returned no valid result: result.messages[0].content.data');
    expect(reports[1]).toContain('prompt "wrong-type" returned no valid result: result.messages[0].content.mimeType');
  },
);

verifies(
  "resources:read:formats",
  "a wrong blob, MIME type or URI fails the read, with the resource and the field in the report",
  async ({ connect }) => {
    const { reports, onError } = reporting();
    const server = new McpServer({ name: "files", version: "1.0.0", onError });
    server.resource("files://blob", { name: "blob" }, () => ({ blob: "no base64" }));
    server.resource("files://type", { name: "type" }, () => ({ text: "", mimeType: "plain" }));
    server.resource("files://uri", { name: "uri" }, () => ({ text: "", uri: "elsewhere" }));
    const client = await connect(server);

    for (const [uri, field] of [
      ["files://blob", "blob"],
      ["files://type", "mimeType"],
      ["files://uri", "uri"],
    ] as const) {
      await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32603 });
      expect(reports.pop()).toContain(`resource "${uri}" returned no valid result: result.contents[0].${field}`);
    }
  },
);

verifies(
  "tools:register:icons",
  "an icon with an http:, script or file URI is refused for servers, tools, prompts, resources and templates",
  () => {
    const identity = { name: "icons", version: "1.0.0" };
    const refused = expect.objectContaining({
      code: "invalid-argument",
      message: expect.stringContaining("icons[0].src: expected an https: or data: URI"),
    });
    for (const src of ["http://example.com/i.png", "javascript:alert(1)", "file:///i.png", "i.png", "https:"]) {
      const server = new McpServer(identity);
      const icons = [{ src }];
      expect(() => new McpServer({ ...identity, icons })).toThrow(refused);
      expect(() => server.tool("t", { icons }, () => "")).toThrow(refused);
      expect(() => server.prompt("p", { icons }, () => "")).toThrow(refused);
      expect(() => server.resource("a://b", { name: "r", icons }, () => "")).toThrow(refused);
      expect(() => server.resourceTemplate("a://{b}", { name: "r", icons }, () => "")).toThrow(refused);
    }
  },
);

verifies(
  "tools:call:content:embedded-alone",
  "a resource that is embedded by a server without resources arrives whole",
  async ({ connect }) => {
    const server = new McpServer({ name: "gallery", version: "1.0.0" });
    const block = { type: "resource", resource: { uri: "a://b", text: "whole" } } as const;
    server.tool("show", {}, () => [block]);
    const client = await connect(server);

    const { content } = await client.callTool("show");

    expect(content).toEqual([block]);
    expect(client.serverCapabilities).not.toHaveProperty("resources");
  },
);
