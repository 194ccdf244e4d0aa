import { McpServer, ProtocolError } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const unused = (): never => {
  throw new Error("nothing uses it");
};

async function namesOf(items: AsyncIterable<{ name: string }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of items) names.push(name);
  return names;
}

verifies("pagination:exhaustion", "walking the cursors yields each tool once", async ({ connect }) => {
  const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
  const letters = ["a", "b", "c", "d", "e"];
  for (const letter of letters) server.tool(letter, {}, () => letter);
  const client = await connect(server);

  const first = await client.listTools();
  const second = await client.listTools({ cursor: String(first.nextCursor) });
  const third = await client.listTools({ cursor: String(second.nextCursor) });

  expect([first, second, third].map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["a", "b"],
    ["c", "d"],
    ["e"],
  ]);
  expect(third).not.toHaveProperty("nextCursor");
});

verifies(
  "pagination:page-size",
  "three items make two pages of each list at a size of two, and one page at a size of three",
  async ({ connect }) => {
    for (const [pageSize, sizes] of [
      [2, [2, 1]],
      [3, [3]],
      [undefined, [3]],
    ] as const) {
      const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize });
      for (const letter of ["a", "b", "c"]) {
        server.tool(letter, {}, unused);
        server.prompt(letter, {}, unused);
        server.resource(`letters://${letter}`, { name: letter }, unused);
        server.resourceTemplate(`${letter}://{x}`, { name: letter }, unused);
      }
      const client = await connect(server);

      const lists = [
        ["tools/list", "tools"],
        ["prompts/list", "prompts"],
        ["resources/list", "resources"],
        ["resources/templates/list", "resourceTemplates"],
      ] as const;
      for (const [method, field] of lists) {
        const pages = [await client.request(method)];
        for (let cursor = pages[0]?.nextCursor; cursor !== undefined; cursor = pages.at(-1)?.nextCursor) {
          pages.push(await client.request(method, { cursor }));
        }
        expect(
          pages.map((page) => (page[field] as unknown[]).length),
          `${method} by ${pageSize}`,
        ).toEqual(sizes);
      }
    }
  },
);

verifies(
  "pagination:stable-cursor",
  "tools that come and go between two pages neither repeat nor hide another one",
  async ({ connect }) => {
    const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
    const [a, b, , d] = ["a", "b", "c", "d", "e"].map((letter) => server.tool(letter, {}, unused));
    const client = await connect(server);

    const first = await client.listTools();
    a?.remove();
    b?.remove();
    d?.remove();
    server.tool("f", {}, unused);
    const second = await client.listTools({ cursor: String(first.nextCursor) });
    server.tool("a", {}, unused);
    const third = await client.listTools({ cursor: String(second.nextCursor) });
    const again = await client.listTools({ cursor: String(first.nextCursor) });

    const pages = [first, second, third, again].map(({ tools }) => tools.map(({ name }) => name));
    expect(pages).toEqual([
      ["a", "b"],
      ["c", "e"],
      ["f", "a"],
      ["c", "e"],
    ]);
  },
);

verifies(
  "pagination:invalid-cursor",
  "cursors made up, of another list and of a longer list are -32602",
  async ({ connect }) => {
    const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 1 });
    const longer = new McpServer({ name: "longer", version: "1.0.0", pageSize: 5 });
    for (const letter of ["a", "b"]) server.resource(`letters://${letter}`, { name: letter }, unused);
    for (const letter of ["a", "b"]) server.tool(letter, {}, unused);
    for (const letter of ["a", "b", "c", "d", "e", "f"]) longer.tool(letter, {}, unused);
    const client = await connect(server);
    const { nextCursor: own = "" } = await client.listTools();
    const { nextCursor: ofResources = "" } = await client.listResources();
    const { nextCursor: ofLonger = "" } = await (await connect(longer)).listTools();

    const between = btoa(atob(own).replace(/1$/, "0.5"));

    for (const cursor of ["", "2", "nonsense", `${own}x`, `${own} `, own.slice(1), between, ofResources, ofLonger]) {
      await expect(client.listTools({ cursor }), cursor).rejects.toMatchObject({
        name: "ProtocolError",
        code: -32602,
        message: expect.stringContaining("cursor"),
      });
    }
    expect((await client.listTools({ cursor: own })).tools).toMatchObject([{ name: "b" }]);
  },
);

verifies(
  "pagination:client:iteration",
  "iterating asks for a page when it is needed, for none when it is left, and yields every item",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "alphabet", version: "1.0.0", pageSize: 2 });
    const letters = ["a", "b", "c", "d", "e"];
    for (const letter of letters) {
      server.tool(letter, {}, unused);
      server.prompt(letter, {}, unused);
      server.resource(`letters://${letter}`, { name: letter }, unused);
      server.resourceTemplate(`${letter}://{x}`, { name: letter }, unused);
    }
    const client = await connect(server);
    const asked = (method: string) => wire.methods("client").filter((sent) => sent === method).length;

    const askedBefore: number[] = [];
    for await (const { name } of client.tools()) {
      askedBefore.push(asked("tools/list"));
      if (name === "c") break;
    }

    expect(askedBefore).toEqual([1, 1, 2]);
    expect(asked("tools/list")).toBe(2);
    for (const items of [client.tools(), client.prompts(), client.resources(), client.resourceTemplates()]) {
      expect(await namesOf(items)).toEqual(letters);
    }
    expect(["prompts/list", "resources/list", "resources/templates/list"].map(asked)).toEqual([3, 3, 3]);
  },
);

verifies(
  "pagination:client:cursor-handling",
  "a cursor comes back the same, whatever it looks like",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const hints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const cursors = ["0", "null", "undefined", " a b ", '{"page":2}', "a%20b&c=d", "🎈\u0000\n", "=".repeat(5_000)];
    const walk = namesOf(client.prompts());

    const received: unknown[] = [];
    for (const nextCursor of [...cursors, undefined]) {
      const request = await peer.receive();
      received.push(request.params);
      await peer.respond(request, { ...hints, prompts: [], ...(nextCursor !== undefined && { nextCursor }) });
    }

    expect(await walk).toEqual([]);
    expect(received.map((params) => (params as { cursor?: string } | undefined)?.cursor)).toEqual([
      undefined,
      ...cursors,
    ]);
  },
);

verifies(
  "pagination:client:empty-cursor",
  "an empty cursor is sent back like any other",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();
    const cacheHints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const walk = namesOf(client.tools());

    const first = await peer.receive();
    await peer.respond(first, { ...cacheHints, tools: [], nextCursor: "" });
    const second = await peer.receive();
    await peer.respond(second, { ...cacheHints, tools: [{ name: "last", inputSchema: { type: "object" } }] });

    expect(first.params ?? {}).not.toHaveProperty("cursor");
    expect(second).toMatchObject({ method: "tools/list", params: { cursor: "" } });
    expect(await walk).toEqual(["last"]);
  },
);

verifies(
  "pagination:client:repeated-cursor",
  "a page whose nextCursor is its own cursor ends the reading, and no third page is asked for",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ resources: {} });
    const hints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const walked: string[] = [];
    const walk = (async () => {
      for await (const { name } of client.resources()) walked.push(name);
    })().catch((error: unknown) => error);

    for (const name of ["a", "a"]) {
      const resources = [{ uri: "again://and-again", name }];
      await peer.respond(await peer.receive(), { ...hints, resources, nextCursor: "again" });
    }

    expect(await walk).toMatchObject({ code: "invalid-result", message: expect.stringContaining("same nextCursor") });
    expect(walked).toEqual(["a"]);
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "pagination:client:page-cap",
  "a list without end is given up after the limit, and nothing more is asked",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ resources: {} }, { maxPages: 3 });
    const hints = era === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
    const walked: string[] = [];
    const walk = (async () => {
      for await (const { name } of client.resources()) walked.push(name);
    })().catch((error: unknown) => error);

    for (const name of ["a", "b", "c"]) {
      const resources = [{ uri: "again://and-again", name }];
      await peer.respond(await peer.receive(), { ...hints, resources, nextCursor: `after ${name}` });
    }

    expect(await walk).toMatchObject({
      name: "SdkError",
      code: "too-many-pages",
      message: expect.stringContaining("3"),
    });
    expect(walked).toEqual(["a", "b", "c"]);
    expect(await peer.drain()).toEqual([]);
  },
);

verifies(
  "pagination:client:starts-over",
  "one refused cursor is walked around, and a server that refuses every cursor is not asked for ever",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", pageSize: 1 });
    for (const name of ["lend", "return", "reserve"]) server.prompt(name, {}, () => name);
    let refusals = 1;
    server.use((call, next) => {
      if (call.method !== "prompts/list" || call.params.cursor === undefined || refusals === 0)
        return next(call.params);
      refusals -= 1;
      throw new ProtocolError(-32602, "This cursor is not known any more");
    });
    const client = await connect(server);
    const walk = async () => {
      const names: string[] = [];
      for await (const { name } of client.prompts()) names.push(name);
      return names;
    };

    expect(await walk()).toEqual(["lend", "return", "reserve"]);
    refusals = 2;
    await expect(walk()).rejects.toMatchObject({ code: -32602 });
  },
);
