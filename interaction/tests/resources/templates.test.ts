import type { Client } from "parley-mcp/client";
import { McpServer, type ResourceTemplateHandler } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const unread = (): never => {
  throw new Error("nothing reads it");
};

/** Answers with the variables it was called with. */
const tellVariables: ResourceTemplateHandler = ({ variables }) => JSON.stringify(variables);

/** Reads what `tellVariables` answered. */
async function readVariables(client: Client, uri: string): Promise<unknown> {
  const [contents] = (await client.readResource(uri)).contents;
  return contents && "text" in contents ? JSON.parse(contents.text) : undefined;
}

verifies(
  "resources:templates:list",
  "each template is listed with what it was registered with, and apart from resources",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    const described = { name: "notes", description: "Notes of a day", mimeType: "text/markdown" };
    server.resourceTemplate("notes://{year}/{day}{?lang*}", described, unread);
    server.resourceTemplate("files://{+path}", { name: "files" }, unread);
    server.resource("notes://today", { name: "today" }, unread);
    const client = await connect(server);

    const { resourceTemplates } = await client.listResourceTemplates();
    const { resources } = await client.listResources();

    expect(resourceTemplates).toStrictEqual([
      {
        uriTemplate: "notes://{year}/{day}{?lang*}",
        name: "notes",
        description: "Notes of a day",
        mimeType: "text/markdown",
      },
      { uriTemplate: "files://{+path}", name: "files" },
    ]);
    expect(resources).toEqual([{ uri: "notes://today", name: "today" }]);
  },
);

verifies(
  "resources:templates:pagination",
  "the pages of templates together hold every template once",
  async ({ connect }) => {
    const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
    for (const letter of ["a", "b", "c", "d", "e"])
      server.resourceTemplate(`${letter}://{x}`, { name: letter }, unread);
    const client = await connect(server);

    const first = await client.listResourceTemplates();
    const second = await client.listResourceTemplates({ cursor: String(first.nextCursor) });
    const third = await client.listResourceTemplates({ cursor: String(second.nextCursor) });

    const names = [first, second, third].map(({ resourceTemplates }) => resourceTemplates.map(({ name }) => name));
    expect(names).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(third).not.toHaveProperty("nextCursor");
  },
);

verifies(
  "resources:read:template-vars",
  "the variables of a template reach the handler decoded, and the URI as it was asked for",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "library", version: "1.0.0" });
    server.resourceTemplate(
      "library://{author}/{title}.txt",
      { name: "book", mimeType: "text/plain" },
      ({ uri, variables }) => JSON.stringify([uri, variables]),
    );
    const client = await connect(server);

    const uri = "library://Ada%20Lovelace/caf%C3%A9%2Fbar.txt";
    const { contents } = await client.readResource(uri);

    const text = JSON.stringify([uri, { author: "Ada Lovelace", title: "café/bar" }]);
    expect(contents).toEqual([{ uri, mimeType: "text/plain", text }]);
    for (const other of ["library://Ada/a/b.txt", "library://Ada/a.md", "library://Ada/%E0%A4%A.txt"]) {
      const code = era === "modern" ? -32602 : -32002;
      await expect(client.readResource(other)).rejects.toMatchObject({ code, data: { uri: other } });
    }
  },
);

verifies(
  "resources:read:template-operators",
  "every operator's values are read back from a URI that it would make, and from no other",
  async ({ connect }) => {
    const cases = [
      ["reserved://{+path}", "reserved://a/b?c#d", { path: "a/b?c#d" }],
      ["segments://root{/year,day}", "segments://root/1969/may%201", { year: "1969", day: "may 1" }],
      ["absent://root{/year,day}", "absent://root", {}],
      ["query://search{?q,lang}", "query://search?q=a%26b&lang=en", { q: "a&b", lang: "en" }],
      ["order://search{?q,lang}", "order://search?lang=en&q=", { q: "", lang: "en" }],
      ["more://search?fixed=1{&page}", "more://search?fixed=1&page=2", { page: "2" }],
      ["list://{ids*}", "list://1,2%2C3,4", { ids: ["1", "2,3", "4"] }],
      ["path://root{/parts*}", "path://root/a/b/c", { parts: ["a", "b", "c"] }],
      ["tags://all{?tag*}", "tags://all?tag=x&tag=y", { tag: ["x", "y"] }],
      ["label://file{.ext}", "label://file.txt", { ext: "txt" }],
      ["matrix://map{;x,y}", "matrix://map;x=1;y=2", { x: "1", y: "2" }],
      ["fragment://page{#part}", "fragment://page#a/b", { part: "a/b" }],
      ["both://{+path}{?q}", "both://a/b?q=1", { path: "a/b", q: "1" }],
    ] as const;
    const server = new McpServer({ name: "operators", version: "1.0.0" });
    for (const [template] of cases) server.resourceTemplate(template, { name: template }, tellVariables);
    const client = await connect(server);

    for (const [template, uri, variables] of cases) {
      const [contents] = (await client.readResource(uri)).contents;
      const text = contents && "text" in contents ? contents.text : "";
      expect(JSON.parse(text), template).toEqual(variables);
    }
    for (const uri of ["segments://root/1/2/3", "absent://rootless", "query://search?other=1", "label://file.a/b"]) {
      await expect(client.readResource(uri), uri).rejects.toMatchObject({ data: { uri } });
    }
  },
);

verifies(
  "resources:read:template-ends",
  "a simple variable takes as little as it can, and a path as much",
  async ({ connect, era }) => {
    const cases = [
      ["file://{name}.{ext}", "file://archive.tar.gz", { name: "archive", ext: "tar.gz" }],
      ["dash://{a}-{b}-{c}", "dash://1-2-3-4", { a: "1", b: "2", c: "3-4" }],
      ["repo://{+path}/{file}", "repo://a/b/c/main.rs", { path: "a/b/c", file: "main.rs" }],
      ["tree://{owner}/{+path}/raw", "tree://ada/raw/x/raw/raw", { owner: "ada", path: "raw/x/raw" }],
      ["find://{+path}{?q}", "find://a?b?q=1", { path: "a?b", q: "1" }],
    ] as const;
    const server = new McpServer({ name: "cutter", version: "1.0.0" });
    for (const [template] of cases) server.resourceTemplate(template, { name: template }, tellVariables);
    const client = await connect(server);

    for (const [template, uri, variables] of cases) {
      const [contents] = (await client.readResource(uri)).contents;
      const text = contents && "text" in contents ? contents.text : "";
      expect(JSON.parse(text), template).toEqual(variables);
    }
    for (const uri of ["file://a/b.txt", "dash://1-2", "repo://main.rs", "tree://ada/x/raw/"]) {
      const code = era === "modern" ? -32602 : -32002;
      await expect(client.readResource(uri), uri).rejects.toMatchObject({ code, data: { uri } });
    }
  },
);

verifies(
  "resources:read:template-unsafe",
  "a URI with a .. segment or a NUL is unknown unless a template accepts it, and one that only looks like that is read",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.resourceTemplate("name://{name}", { name: "by name" }, tellVariables);
    server.resourceTemplate("path://{+path}", { name: "by path" }, tellVariables);
    server.resourceTemplate("list://root{/parts*}", { name: "by parts" }, tellVariables);
    server.resourceTemplate("open://{name}", { name: "careful" }, tellVariables);
    server.resourceTemplate("open://{+any}", { name: "bold", acceptsUnsafeValues: true }, tellVariables);
    const client = await connect(server);
    const read = (uri: string) => readVariables(client, uri);

    const unsafe = [
      ...["name://..", "name://..%2F..%2Fetc", "name://%2e%2e%5Cetc", "name://a%00.png", "name://%252e%252e%252fetc"],
      ...["path://../../etc/passwd", "path://a/..", "path://a/%2e%2e/b", "path://..%5Cetc"],
      ...["list://root/a/../b", "list://root/.."],
    ];
    for (const uri of unsafe) {
      const code = era === "modern" ? -32602 : -32002;
      await expect(client.readResource(uri), uri).rejects.toMatchObject({ code, data: { uri } });
    }
    expect(await read("open://a")).toEqual({ name: "a" });
    expect(await read("open://..%2Fa")).toEqual({ any: "../a" });
    expect(await read("name://v1..v2")).toEqual({ name: "v1..v2" });
    expect(await read("path://.git/...")).toEqual({ path: ".git/..." });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.at(-1)).toEqual({ uriTemplate: "open://{+any}", name: "bold" });
  },
);

verifies(
  "resources:read:template-absolute",
  "absolute paths, drives and file URLs reach a template that accepts them, and are unknown without one",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    server.resourceTemplate("note:///{name}", { name: "by name" }, tellVariables);
    server.resourceTemplate("file:///{+path}", { name: "by path" }, tellVariables);
    server.resourceTemplate("list://root{/parts*}", { name: "by parts" }, tellVariables);
    server.resourceTemplate("open:///{+any}", { name: "bold", acceptsUnsafeValues: true }, tellVariables);
    const client = await connect(server);

    const unsafe = [
      ...[
        "note:///%2Fetc%2Fpasswd",
        "note:///%5C%5Chost%5Cshare",
        "note:///C:",
        "note:///c%3A%5Cx",
        "note:///%252Fetc",
      ],
      ...["file:////etc/passwd", "file:///%2Fetc/passwd", "file:///C:/x", "file:///file:///etc/passwd"],
      ...["list://root//etc/passwd", "list://root/a/%2Fetc", "list://root/C:/x"],
    ];
    const code = era === "modern" ? -32602 : -32002;
    for (const uri of unsafe)
      await expect(client.readResource(uri), uri).rejects.toMatchObject({ code, data: { uri } });
    expect(await readVariables(client, "file:///etc/passwd")).toEqual({ path: "etc/passwd" });
    expect(await readVariables(client, "note:///urn:isbn:1")).toEqual({ name: "urn:isbn:1" });
    expect(await readVariables(client, "list://root/a//b")).toEqual({ parts: ["a", "", "b"] });
    expect(await readVariables(client, "open:////etc/passwd")).toEqual({ any: "/etc/passwd" });
  },
);

verifies(
  "resources:read:template-query-value",
  "a query value may begin with a slash or a drive letter, but holds no .. segment",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "search", version: "1.0.0" });
    server.resourceTemplate("find://all{?q}", { name: "find" }, tellVariables);
    const client = await connect(server);

    expect(await readVariables(client, "find://all?q=%2Fetc")).toEqual({ q: "/etc" });
    expect(await readVariables(client, "find://all?q=C:")).toEqual({ q: "C:" });
    const code = era === "modern" ? -32602 : -32002;
    await expect(client.readResource("find://all?q=..%2Fetc")).rejects.toMatchObject({ code });
  },
);

verifies(
  "resources:register:ambiguous-template",
  "templates without a single reading are refused, and the message holds their text",
  () => {
    const server = new McpServer({ name: "careful", version: "1.0.0" });

    for (const template of ["x://{a}{b}", "x://{+a}/{+b}", "x://{+a,b}", "x://{a}/{a}", "x://{a*,b}"]) {
      const refused = expect.objectContaining({
        name: "SdkError",
        code: "invalid-argument",
        message: expect.stringContaining(template),
      });
      expect(() => server.resourceTemplate(template, { name: "ambiguous" }, unread), template).toThrow(refused);
    }
    expect(() => server.resourceTemplate("x://{a}/{b}{/c*}{?d,e}", { name: "clear" }, unread)).not.toThrow();
  },
);

verifies(
  "resources:read:template-linear",
  "the longest URI that almost fits many variables is told to be unknown within a second",
  async ({ connect, era }) => {
    const names = Array.from({ length: 40 }, (_, index) => `v${index}`);
    const all = (part: (name: string) => string) => names.map(part).join("");
    const hostile = [
      [`simple://${all((name) => `{${name}}-`)}`, `simple://${"-".repeat(65_000)}/`],
      [`reserved://{first}-{+path}-${all((name) => `{${name}}-`)}!`, `reserved://${"-".repeat(65_000)}`],
      [`rightwards://{+path}${all((name) => `-{${name}}`)}`, `rightwards:///?${"-".repeat(65_000)}/`],
      [`spread://${all((name) => `{${name}}aab`)}`, `spread://${"a".repeat(65_000)}`],
      [`segments://x${all((name) => `{/${name}}`)}`, `segments://x${"/".repeat(65_000)}`],
      [`labels://x${all((name) => `{.${name}}`)}!`, `labels://x${".".repeat(65_000)}`],
      [`list://{${names.slice(1)},last*}!`, `list://${",".repeat(65_000)}`],
      [`query://x{?${names}}`, `query://x?${"&v1=".repeat(16_000)}`],
      [`percent://{+${names[0]}}-{${names[1]}}`, `percent://${"%41".repeat(21_000)}-%`],
    ] as const;
    const server = new McpServer({ name: "patient", version: "1.0.0" });
    for (const [template] of hostile) server.resourceTemplate(template, { name: "many" }, unread);
    const client = await connect(server);

    for (const [template, uri] of hostile) {
      const started = performance.now();
      const code = era === "modern" ? -32602 : -32002;
      await expect(client.readResource(uri)).rejects.toMatchObject({ code, data: { uri } });
      expect(performance.now() - started, template).toBeLessThan(1_000);
    }
  },
);

verifies(
  "resources:read:template-long-uri",
  "a URI of one character over the limit is unknown",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "brief", version: "1.0.0" });
    server.resourceTemplate("x://{a}", { name: "any" }, ({ variables }) => String(variables.a?.length));
    const client = await connect(server);

    const read = await client.readResource(`x://${"a".repeat(65_532)}`);
    expect(read.contents).toMatchObject([{ text: "65532" }]);

    const code = era === "modern" ? -32602 : -32002;
    await expect(client.readResource(`x://${"a".repeat(65_533)}`)).rejects.toMatchObject({ code });
  },
);
