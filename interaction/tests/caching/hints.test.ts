import { McpServer } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";
import type { WireLog } from "../../src/wire-log.js";

/** The cache hints of each result on the wire, under the method that it answers. */
function hintsByMethod(wire: WireLog): [method: string, hints: JsonObject][] {
  const methods = new Map(
    wire
      .from("client")
      .flatMap((message) => ("method" in message && "id" in message ? [[message.id, message.method]] : [])),
  );
  return wire.from("server").flatMap((message) => {
    if (!("result" in message)) return [];
    const { ttlMs, cacheScope } = message.result;
    return [[String(methods.get(message.id)), { ttlMs, cacheScope }]];
  });
}

verifies(
  "meta:cache-hints:present",
  "discovery, the four lists and resources/read say how long and by whom they may be kept",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0" });
    server.tool("lend", {}, () => "lent");
    server.prompt("recommend", {}, () => "Recommend a book.");
    server.resource("library://catalog", { name: "catalog" }, () => "Books");
    const client = await connect(server);

    await client.listTools();
    await client.listPrompts();
    await client.listResources();
    await client.listResourceTemplates();
    await client.readResource("library://catalog");

    const hints = { ttlMs: expect.any(Number), cacheScope: expect.stringMatching(/^(public|private)$/) };
    expect(hintsByMethod(wire)).toEqual([
      ["server/discover", hints],
      ["tools/list", hints],
      ["prompts/list", hints],
      ["resources/list", hints],
      ["resources/templates/list", hints],
      ["resources/read", hints],
    ]);
  },
);

verifies(
  "meta:cache-hints:nowhere-else",
  "calls, prompts and completions carry no hints, whatever the server was told",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: { ttlMs: 1_000, cacheScope: "public" } });
    server.tool("lend", {}, () => "lent");
    server.prompt("recommend", {}, () => "Recommend a book.");
    server.resourceTemplate("library://{title}", { name: "book", complete: { title: () => ["Emma"] } }, () => "Book");
    server.handle("acme/return", () => ({}));
    const client = await connect(server);

    const results = [
      await client.callTool("lend"),
      await client.getPrompt("recommend"),
      await client.complete({
        ref: { type: "ref/resource", uri: "library://{title}" },
        argument: { name: "title", value: "" },
      }),
      await client.request("acme/return"),
    ];

    for (const result of results) {
      expect(result).not.toHaveProperty("ttlMs");
      expect(result).not.toHaveProperty("cacheScope");
    }
  },
);

verifies(
  "meta:cache-hints:default",
  "a server without cache options answers ttlMs 0 and cacheScope private",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0" });
    server.resource("library://catalog", { name: "catalog" }, () => "Books");
    const client = await connect(server);

    await client.listResources();
    await client.readResource("library://catalog");

    const hints = { ttlMs: 0, cacheScope: "private" };
    expect(hintsByMethod(wire)).toEqual([
      ["server/discover", hints],
      ["resources/list", hints],
      ["resources/read", hints],
    ]);
  },
);

verifies(
  "meta:cache-hints:configured",
  "the server's hints hold everywhere, and what a resource says for itself wins when it is read",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: { ttlMs: 60_000, cacheScope: "public" } });
    server.tool("lend", {}, () => "lent");
    server.resource("library://plain", { name: "plain" }, () => "Books");
    server.resource("library://brief", { name: "brief", cache: { ttlMs: 0 } }, () => "News");
    server.resourceTemplate("library://of/{user}", { name: "loans", cache: { cacheScope: "private" } }, () => "Loans");
    const client = await connect(server);

    await client.listTools();
    await client.listResources();
    for (const uri of ["library://plain", "library://brief", "library://of/ada"]) await client.readResource(uri);

    const hints = { ttlMs: 60_000, cacheScope: "public" };
    expect(hintsByMethod(wire)).toEqual([
      ["server/discover", hints],
      ["tools/list", hints],
      ["resources/list", hints],
      ["resources/read", hints],
      ["resources/read", { ttlMs: 0, cacheScope: "public" }],
      ["resources/read", { ttlMs: 60_000, cacheScope: "private" }],
    ]);
  },
);

verifies(
  "meta:cache-hints:same-scope-on-pages",
  "every page of a list has the scope of the first, whatever its items say for themselves",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", pageSize: 1, cache: { cacheScope: "public" } });
    for (const [name, cacheScope] of [
      ["a", "public"],
      ["b", "private"],
      ["c", undefined],
    ] as const) {
      server.resource(`library://${name}`, { name, cache: { cacheScope } }, () => "Book");
    }
    const client = await connect(server);

    for await (const resource of client.resources()) expect(resource).not.toHaveProperty("cache");

    const pages = hintsByMethod(wire).filter(([method]) => method === "resources/list");
    expect(pages.map(([, { cacheScope }]) => cacheScope)).toEqual(["public", "public", "public"]);
  },
);

verifies(
  "meta:cache-hints:refused",
  "a time to live that is negative or no whole number is refused where it is given",
  () => {
    const refused = expect.objectContaining({
      name: "SdkError",
      code: "invalid-argument",
      message: expect.stringContaining("ttlMs"),
    });
    const define = (ttlMs: number) => {
      const server = new McpServer({ name: "library", version: "1.0.0" });
      return [
        () => new McpServer({ name: "library", version: "1.0.0", cache: { ttlMs } }),
        () => server.resource("library://catalog", { name: "catalog", cache: { ttlMs } }, () => "Books"),
        () => server.resourceTemplate("library://{title}", { name: "book", cache: { ttlMs } }, () => "Book"),
      ];
    };

    for (const ttlMs of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const attempt of define(ttlMs)) expect(attempt, `${ttlMs}`).toThrow(refused);
    }
    for (const ttlMs of [0, 1, 86_400_000]) {
      for (const attempt of define(ttlMs)) expect(attempt, `${ttlMs}`).not.toThrow();
    }
  },
);

verifies(
  "meta:cache-hints:results",
  "a negative ttlMs is -32603 and reported, whether a resource, a handler of the method or a middleware set it",
  async ({ connect }) => {
    const contents = [{ uri: "a://b", text: "" }];
    const makers: ((server: McpServer) => void)[] = [
      (server) => server.resource("a://b", { name: "b" }, () => ({ contents, ttlMs: -1 })),
      (server) => server.handle("resources/read", () => ({ contents, ttlMs: -1 })),
      (server) => {
        server.resource("a://b", { name: "b" }, () => "text");
        server.use(async ({ method }, next) => (method === "resources/read" ? { contents, ttlMs: -1 } : next()));
      },
    ];
    for (const make of makers) {
      const reports: string[] = [];
      const onError = (error: Error) => reports.push(String(error.cause));
      const server = new McpServer({ name: "hints", version: "1.0.0", onError });
      make(server);
      const client = await connect(server);

      await expect(client.readResource("a://b")).rejects.toMatchObject({ code: -32603 });

      expect(reports).toEqual([expect.stringContaining("result.ttlMs: expected a whole number from 0, got -1")]);
    }
  },
);
