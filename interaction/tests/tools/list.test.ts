import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

verifies(
  "tools:capability:declared",
  "tools are announced by the server that has one, and not by the server that has none",
  async ({ connect }) => {
    const able = new McpServer({ name: "able", version: "1.0.0" });
    able.tool("hammer", {}, () => "bang");
    const idle = new McpServer({ name: "idle", version: "1.0.0" });
    idle.prompt("wait", {}, () => "Wait.");

    const { serverCapabilities: ofAble } = await connect(able);
    const { serverCapabilities: ofIdle } = await connect(idle);

    expect(ofAble).toHaveProperty("tools");
    expect(ofIdle).toHaveProperty("prompts");
    expect(ofIdle).not.toHaveProperty("tools");
  },
);

verifies("tools:list:basic", "each tool is listed with what it was registered with", async ({ connect }) => {
  const server = new McpServer({ name: "toolbox", version: "1.0.0" });
  const length = { type: "object", properties: { cm: { type: "number" } }, required: ["cm"] };
  server.tool("saw", { description: "Cuts to length", input: length }, () => "cut");
  server.tool("level", {}, () => "even");
  const client = await connect(server);

  const { tools } = await client.listTools();

  expect(tools).toStrictEqual([
    { name: "saw", description: "Cuts to length", inputSchema: length },
    { name: "level", inputSchema: { type: "object", additionalProperties: false } },
  ]);
});

verifies(
  "tools:list:order",
  "tools come in the order of registration, to every client and at every request",
  async ({ connect }) => {
    const server = new McpServer({ name: "unsorted", version: "1.0.0" });
    const names = ["zebra", "10", "apple", "2", "Mango"];
    for (const name of names) server.tool(name, {}, () => name);
    const [first, second] = [await connect(server), await connect(server)];

    const lists = [await first.listTools(), await first.listTools(), await second.listTools()];

    expect(lists.map(({ tools }) => tools.map(({ name }) => name))).toEqual([names, names, names]);
  },
);

verifies("tools:list:annotations", "every annotation of a tool is listed as it was given", async ({ connect }) => {
  const server = new McpServer({ name: "careful", version: "1.0.0" });
  const annotations = {
    title: "Delete a file",
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  };
  server.tool("delete", { annotations }, () => "gone");
  const client = await connect(server);

  const { tools } = await client.listTools();

  expect(tools[0]?.annotations).toEqual(annotations);
});

verifies("tools:list:title", "the title of a tool is listed beside the name", async ({ connect }) => {
  const server = new McpServer({ name: "titled", version: "1.0.0" });
  server.tool("get_weather", { title: "Weather by city" }, () => "rain");
  const client = await connect(server);

  const { tools } = await client.listTools();

  expect(tools).toMatchObject([{ name: "get_weather", title: "Weather by city" }]);
});

verifies("tools:list:icons", "the icons of a tool are listed in order, each with all it has", async ({ connect }) => {
  const server = new McpServer({ name: "pictured", version: "1.0.0" });
  const icons = [
    { src: "https://example.com/saw.png", mimeType: "image/png", sizes: ["48x48", "96x96"], theme: "dark" as const },
    { src: "data:image/svg+xml;base64,PHN2Zy8+" },
  ];
  server.tool("saw", { icons }, () => "cut");
  const client = await connect(server);

  const { tools } = await client.listTools();

  expect(tools[0]?.icons).toEqual(icons);
});

verifies("tools:list:pagination", "five tools in pages of two arrive once each", async ({ connect, wire }) => {
  const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
  for (const name of ["a", "b", "c", "d", "e"]) server.tool(name, { input: z.object({}) }, () => name);
  const client = await connect(server);

  const names: string[] = [];
  for await (const { name } of client.tools()) names.push(name);

  expect(names).toEqual(["a", "b", "c", "d", "e"]);
  const pages = wire.from("server").flatMap((message) => ("result" in message ? (message.result.tools ?? []) : []));
  expect(pages).toHaveLength(5);
  expect(wire.methods("client").filter((method) => method === "tools/list")).toHaveLength(3);
});
