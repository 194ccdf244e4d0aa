import { isResourceNotFound } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "resources:read:text",
  "text arrives as it was returned, with the URI asked for and the MIME type",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    const text = 'Ünïcode, 🎈, "quotes",\r\n\ttabs and \u0000.';
    server.resource("notes://typed", { name: "typed", mimeType: "text/plain" }, () => text);
    server.resource("notes://untyped", { name: "untyped" }, async () => "");
    server.resource("notes://own", { name: "own", mimeType: "text/plain" }, () => ({
      mimeType: "text/csv",
      text: "a,b",
    }));
    const client = await connect(server);

    const typed = await client.readResource("notes://typed");
    const untyped = await client.readResource("notes://untyped");
    const own = await client.readResource("notes://own");

    expect(typed.contents).toStrictEqual([{ uri: "notes://typed", mimeType: "text/plain", text }]);
    expect(untyped.contents).toStrictEqual([{ uri: "notes://untyped", text: "" }]);
    expect(own.contents).toStrictEqual([{ uri: "notes://own", mimeType: "text/csv", text: "a,b" }]);
  },
);

verifies("resources:read:blob", "bytes arrive as base64 with URI and MIME type", async ({ connect }) => {
  const server = new McpServer({ name: "pixels", version: "1.0.0" });
  const many = Uint8Array.from({ length: 100_001 }, (_, index) => index % 251);
  server.resource("pixels://few", { name: "few", mimeType: "image/png" }, () => new Uint8Array([0, 127, 255]));
  server.resource("pixels://many", { name: "many" }, () => many);
  const client = await connect(server);

  const few = await client.readResource("pixels://few");
  const [contents] = (await client.readResource("pixels://many")).contents;

  expect(few.contents).toStrictEqual([{ uri: "pixels://few", mimeType: "image/png", blob: "AH//" }]);
  const decoded = Buffer.from(contents && "blob" in contents ? contents.blob : "", "base64");
  expect(decoded.equals(many)).toBe(true);
});

verifies(
  "resources:read:multiple",
  "one read brings several contents in the handler's order, each under its own URI",
  async ({ connect }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.resource("files://folder", { name: "folder", mimeType: "text/plain" }, () => [
      { uri: "files://folder/b", text: "second letter" },
      { uri: "files://folder/a", mimeType: "image/gif", blob: "R0lG" },
      { text: "about the folder itself" },
    ]);
    const client = await connect(server);

    const { contents } = await client.readResource("files://folder");

    expect(contents).toStrictEqual([
      { uri: "files://folder/b", mimeType: "text/plain", text: "second letter" },
      { uri: "files://folder/a", mimeType: "image/gif", blob: "R0lG" },
      { uri: "files://folder", mimeType: "text/plain", text: "about the folder itself" },
    ]);
  },
);

verifies("resources:read:unknown-uri", "an unknown URI is -32602 and named in the data", async ({ connect }) => {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.resource("notes://today", { name: "today" }, () => "another one");
  server.resourceTemplate("archive://{year}", { name: "archive" }, () => "another one");
  const client = await connect(server);

  for (const uri of ["nowhere://x", "notes://today/", "archive://1969/may"]) {
    await expect(client.readResource(uri)).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32602,
      message: expect.stringContaining(uri),
      data: { uri },
    });
  }
});

verifies("resources:read:unknown-uri-legacy", "an unknown URI is -32002 and named in the data", async ({ connect }) => {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.resource("notes://today", { name: "today" }, () => "another one");
  server.resourceTemplate("archive://{year}", { name: "archive" }, () => "another one");
  const client = await connect(server);

  for (const uri of ["nowhere://x", "notes://today/", "archive://1969/may"]) {
    await expect(client.readResource(uri)).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32002,
      message: expect.stringContaining(uri),
      data: { uri },
    });
  }
});

verifies(
  "resources:read:told-not-found",
  "isResourceNotFound is true of a missing resource and false of a crash",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0", onError: () => undefined });
    server.resource("notes://today", { name: "today" }, () => {
      throw new Error("disk full");
    });
    const client = await connect(server);
    const failure = (uri: string) => client.readResource(uri).catch((error: unknown) => error);

    expect(isResourceNotFound(await failure("notes://never"))).toBe(true);
    expect(isResourceNotFound(await failure("notes://today"))).toBe(false);
  },
);

verifies(
  "resources:read:handler-throws",
  "a crash while reading is opaque to the caller and told to onError with its cause",
  async ({ connect }) => {
    const reported: Error[] = [];
    const secret = new Error("ENOENT /var/ada/.ssh/id_rsa");
    const server = new McpServer({ name: "frail", version: "1.0.0", onError: (error) => void reported.push(error) });
    server.resource("frail://one", { name: "one" }, () => {
      throw secret;
    });
    server.resourceTemplate("frail://many/{any}", { name: "many" }, () => Promise.reject(secret));
    const client = await connect(server);

    for (const uri of ["frail://one", "frail://many/1"]) {
      const failure = await client.readResource(uri).catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: "ProtocolError",
        code: -32603,
        message: "Internal error",
        data: undefined,
      });
    }
    const report = { name: "SdkError", code: "handler-failed", cause: secret };
    expect(reported).toMatchObject([report, report]);
  },
);

verifies(
  "resources:read:absent",
  "a handler that returns undefined or null answers that the resource is missing, and the next template is not asked",
  async ({ connect, era }) => {
    const notes = new Map([["monday", "Buy milk"]]);
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    server.resource("notes://gone", { name: "gone" }, () => null);
    server.resourceTemplate("notes://{day}", { name: "day" }, async ({ variables }) => notes.get(`${variables.day}`));
    server.resourceTemplate("notes://{+any}", { name: "any" }, () => {
      throw new Error("must not run");
    });
    const client = await connect(server);

    expect(await client.readResource("notes://monday")).toMatchObject({ contents: [{ text: "Buy milk" }] });
    for (const uri of ["notes://gone", "notes://sunday"]) {
      const code = era === "modern" ? -32602 : -32002;
      await expect(client.readResource(uri)).rejects.toMatchObject({ name: "ProtocolError", code, data: { uri } });
    }
  },
);

verifies(
  "resources:read:exact-before-template",
  "the URI's own resource answers before templates, and the first fitting template before later ones",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    server.resourceTemplate("other://{day}", { name: "other scheme" }, () => "other scheme");
    server.resourceTemplate("notes://{day}", { name: "first" }, () => "first template");
    server.resourceTemplate("notes://{+path}", { name: "second" }, () => "second template");
    server.resource("notes://today", { name: "today" }, () => "today itself");
    const client = await connect(server);

    const uris = ["notes://today", "notes://monday", "notes://may/1"];
    const reads = await Promise.all(uris.map((uri) => client.readResource(uri)));

    expect(reads.map(({ contents }) => contents)).toEqual([
      [{ uri: "notes://today", text: "today itself" }],
      [{ uri: "notes://monday", text: "first template" }],
      [{ uri: "notes://may/1", text: "second template" }],
    ]);
  },
);

verifies(
  "resources:read:empty-contents",
  "empty contents are reported and not sent, from a registered resource, a handler of the method and a middleware",
  async ({ connect }) => {
    const makers: ((server: McpServer) => void)[] = [
      (server) => server.resource("a://b", { name: "b" }, () => []),
      (server) => server.resource("a://b", { name: "b" }, () => ({ contents: [] })),
      (server) => server.handle("resources/read", () => ({ contents: [] })),
      (server) => {
        server.resource("a://b", { name: "b" }, () => "text");
        server.use(async ({ method }, next) => (method === "resources/read" ? { contents: [] } : next()));
      },
    ];
    for (const make of makers) {
      const reports: string[] = [];
      const onError = (error: Error) => reports.push(String(error.cause));
      const server = new McpServer({ name: "empty", version: "1.0.0", onError });
      make(server);
      const client = await connect(server);

      await expect(client.readResource("a://b")).rejects.toMatchObject({ code: -32603 });

      expect(reports).toEqual([expect.stringContaining('resources/read "a://b"')]);
      expect(reports[0]).toContain("return undefined for a resource that does not exist");
    }
  },
);

verifies(
  "resources:read:malformed-uri",
  "a path or a text without a scheme reaches neither template nor handler",
  { judge: "our-side-is-made-to-misbehave" },
  async ({ connect }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.resourceTemplate("{+any}", { name: "any", acceptsUnsafeValues: true }, () => "must not be read");
    const client = await connect(server);

    for (const uri of ["notes/today", "", "//host/path", "1:2"]) {
      const message = expect.stringContaining("params.uri: expected an absolute URI");
      await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32602, message });
    }
  },
);
