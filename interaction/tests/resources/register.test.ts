import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const unread = (): never => {
  throw new Error("nothing reads it");
};

verifies(
  "resources:capability:declared",
  "a resource or a template makes a server announce resources, and without either nothing does",
  async ({ connect }) => {
    const single = new McpServer({ name: "single", version: "1.0.0" });
    single.resource("notes://today", { name: "today" }, unread);
    const family = new McpServer({ name: "family", version: "1.0.0" });
    family.resourceTemplate("notes://{day}", { name: "notes" }, unread);
    const bare = new McpServer({ name: "bare", version: "1.0.0" });

    const clients = await Promise.all([connect(single), connect(family), connect(bare)]);

    const announced = clients.map(({ serverCapabilities }) => Object.keys(serverCapabilities ?? {}));
    expect(announced).toEqual([["resources"], ["resources"], []]);
  },
);

verifies(
  "resources:list:basic",
  "each resource is listed with what it was registered with, and no more",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    const described = { name: "today", description: "What is due", mimeType: "text/markdown" };
    server.resource("notes://today", described, unread);
    server.resource("notes://bare", { name: "bare" }, unread);
    const client = await connect(server);

    const { resources } = await client.listResources();

    expect(resources).toStrictEqual([
      { uri: "notes://today", name: "today", description: "What is due", mimeType: "text/markdown" },
      { uri: "notes://bare", name: "bare" },
    ]);
  },
);

verifies("resources:list:size", "the size of a resource is listed, zero too", async ({ connect }) => {
  const server = new McpServer({ name: "files", version: "1.0.0" });
  server.resource("files://big", { name: "big", size: 5_000_000_000 }, unread);
  server.resource("files://empty", { name: "empty", size: 0 }, unread);
  const client = await connect(server);

  const { resources } = await client.listResources();

  expect(resources.map(({ name, size }) => [name, size])).toEqual([
    ["big", 5_000_000_000],
    ["empty", 0],
  ]);
});

verifies("resources:list:title", "titles of resources are listed beside the names", async ({ connect }) => {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.resource("notes://today", { name: "today", title: "Today's notes" }, unread);
  server.resourceTemplate("notes://{day}", { name: "notes", title: "Notes of a day" }, unread);
  const client = await connect(server);

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();

  expect(resources).toEqual([{ uri: "notes://today", name: "today", title: "Today's notes" }]);
  expect(resourceTemplates).toEqual([{ uriTemplate: "notes://{day}", name: "notes", title: "Notes of a day" }]);
});

verifies("resources:list:icons", "icons of resources are listed member by member", async ({ connect }) => {
  const icons = [
    { src: "https://notes.example/icon.svg", mimeType: "image/svg+xml", sizes: ["any"] },
    { src: "data:image/png;base64,AAAA", sizes: ["16x16", "32x32"] },
  ];
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.resource("notes://today", { name: "today", icons }, unread);
  server.resourceTemplate("notes://{day}", { name: "notes", icons }, unread);
  const client = await connect(server);

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();

  expect(resources).toEqual([{ uri: "notes://today", name: "today", icons }]);
  expect(resourceTemplates).toEqual([{ uriTemplate: "notes://{day}", name: "notes", icons }]);
});

verifies("resources:annotations", "annotations of resources are listed member by member", async ({ connect }) => {
  const annotations = {
    audience: ["user" as const, "assistant" as const],
    priority: 0.25,
    lastModified: "2025-01-12T15:00:58Z",
  };
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.resource("notes://today", { name: "today", annotations }, unread);
  server.resourceTemplate("notes://{day}", { name: "notes", annotations: { priority: 0 } }, unread);
  const client = await connect(server);

  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();

  expect(resources).toEqual([{ uri: "notes://today", name: "today", annotations }]);
  expect(resourceTemplates).toEqual([{ uriTemplate: "notes://{day}", name: "notes", annotations: { priority: 0 } }]);
});

verifies(
  "resources:list:pagination",
  "the pages of resources together hold every resource once",
  async ({ connect }) => {
    const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
    for (const letter of ["a", "b", "c", "d", "e"]) server.resource(`letters://${letter}`, { name: letter }, unread);
    const client = await connect(server);

    const first = await client.listResources();
    const second = await client.listResources({ cursor: String(first.nextCursor) });
    const third = await client.listResources({ cursor: String(second.nextCursor) });

    const names = [first, second, third].map(({ resources }) => resources.map(({ name }) => name));
    expect(names).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(third).not.toHaveProperty("nextCursor");
  },
);

verifies(
  "resources:register:duplicate",
  "a second resource under a URI and a second template of the same text are refused",
  () => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    server.resource("notes://today", { name: "today" }, unread);
    server.resourceTemplate("notes://{day}", { name: "notes" }, unread);
    const duplicate = expect.objectContaining({ name: "SdkError", code: "duplicate-name" });

    expect(() => server.resource("notes://today", { name: "other" }, unread)).toThrow(duplicate);
    expect(() => server.resourceTemplate("notes://{day}", { name: "other" }, unread)).toThrow(duplicate);
    expect(() => server.resource("notes://tomorrow", { name: "today" }, unread)).not.toThrow();
  },
);

verifies(
  "resources:register:after-connect",
  "a resource that is registered under a connected client is in its next list and its next read",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    server.resource("notes://today", { name: "today" }, unread);
    const client = await connect(server);
    const before = await Promise.all([client.listResources(), client.listResourceTemplates()]);

    server.resource("notes://tomorrow", { name: "tomorrow" }, () => "pack");
    server.resourceTemplate("archive://{year}", { name: "archive" }, ({ variables }) => `of ${variables.year}`);
    const after = await Promise.all([client.listResources(), client.listResourceTemplates()]);
    const reads = await Promise.all([client.readResource("notes://tomorrow"), client.readResource("archive://1969")]);

    const namesIn = ([{ resources }, { resourceTemplates }]: typeof after) =>
      [...resources, ...resourceTemplates].map(({ name }) => name);
    expect([namesIn(before), namesIn(after)]).toEqual([["today"], ["today", "tomorrow", "archive"]]);
    expect(reads.map(({ contents }) => contents)).toEqual([
      [{ uri: "notes://tomorrow", text: "pack" }],
      [{ uri: "archive://1969", text: "of 1969" }],
    ]);
  },
);

verifies(
  "resources:register:removal",
  "a removed resource is in no later list and unknown to a read, and the others are served on",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    server.resource("notes://kept", { name: "kept" }, () => "still here");
    const today = server.resource("notes://today", { name: "today" }, unread);
    const archive = server.resourceTemplate("archive://{year}", { name: "archive" }, unread);
    const client = await connect(server);
    await Promise.all([client.listResources(), client.listResourceTemplates()]);

    today.remove();
    archive.remove();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();

    expect(resources).toEqual([{ uri: "notes://kept", name: "kept" }]);
    expect(resourceTemplates).toEqual([]);
    for (const uri of ["notes://today", "archive://1969"]) {
      const code = era === "modern" ? -32602 : -32002;
      await expect(client.readResource(uri)).rejects.toMatchObject({ name: "ProtocolError", code, data: { uri } });
    }
    const { contents } = await client.readResource("notes://kept");
    expect(contents).toEqual([{ uri: "notes://kept", text: "still here" }]);
  },
);
