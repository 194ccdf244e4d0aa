import { type CacheEntry, type CacheStore, InMemoryCacheStore } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const hints = { ttlMs: 1_000, cacheScope: "private" } as const;
const now = () => 0;

verifies(
  "caching:store",
  "a store that writes JSON elsewhere keeps what it is given, and while it is down the server is asked",
  async ({ connect }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    let reads = 0;
    server.resource("library://loans", { name: "loans" }, () => `reading ${++reads}`);
    const database = new Map<string, Map<string, string>>();
    let isDown = false;
    const groupOf = async (group: string) => {
      if (isDown) throw new Error("The database is down");
      return database.get(group) ?? new Map<string, string>();
    };
    const store: CacheStore = {
      async get(group, key) {
        const text = (await groupOf(group)).get(key);
        return text === undefined ? undefined : (JSON.parse(text) as CacheEntry);
      },
      async set(group, key, entry) {
        const entries = await groupOf(group);
        database.set(group, entries.set(key, JSON.stringify(entry)));
      },
      async delete(group, key) {
        (await groupOf(group)).delete(key);
      },
      async deleteGroup(group) {
        (await groupOf(group)).clear();
      },
    };
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    const client = await connect(server, { cache: { now, store }, onError });
    const read = async () => (await client.readResource("library://loans")).contents[0];

    expect(await read()).toMatchObject({ text: "reading 1" });
    expect(await read()).toMatchObject({ text: "reading 1" });
    expect(errors).toEqual([]);
    isDown = true;
    expect(await read()).toMatchObject({ text: "reading 2" });
    expect(errors.map((error) => error.cause)).toEqual([
      expect.objectContaining({ message: "The database is down" }),
      expect.objectContaining({ message: "The database is down" }),
    ]);
  },
);

verifies(
  "caching:store:bounded",
  "a store for two drops the one that was not read for longest",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "library", version: "1.0.0", cache: hints });
    server.resourceTemplate("library://{title}", { name: "book" }, () => "Book");
    const client = await connect(server, { cache: { now, store: new InMemoryCacheStore({ maxEntries: 2 }) } });
    const asked = () => wire.methods("client").filter((method) => method === "resources/read").length;

    for (const title of ["emma", "persuasion", "emma", "sanditon"]) await client.readResource(`library://${title}`);
    expect(asked()).toBe(3);
    await client.readResource("library://emma");
    expect(asked()).toBe(3);
    await client.readResource("library://persuasion");
    expect(asked()).toBe(4);
  },
);
