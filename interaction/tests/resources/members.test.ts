import type { Client } from "parley-mcp/client";
import { McpServer, type ResourceLister } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const note = (id: number) => ({ uri: `notes://${id}`, name: `note ${id}` });

async function pagesOf(client: Client): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? {} : { cursor });
    pages.push(page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return pages;
}

verifies(
  "resources:list:members",
  "resources/list has the registered resources first and then those of each template, in pages of the server's or the lister's size",
  async ({ connect }) => {
    const server = new McpServer({ name: "notes", version: "1.0.0", pageSize: 3 });
    for (const uri of ["fixed://1", "fixed://2", "notes://1", "fixed://3"])
      server.resource(uri, { name: uri }, () => uri);
    server.resourceTemplate("other://{id}", { name: "unlisted" }, () => "other");
    server.resourceTemplate(
      "notes://{id}",
      { name: "note", mimeType: "text/plain", list: () => [1, 2, 3, 4, 5].map(note) },
      () => "note",
    );
    const asked: (string | undefined)[] = [];
    const tasks: ResourceLister = ({ cursor }) => {
      asked.push(cursor);
      const [from, nextCursor] = cursor === undefined ? [1, "ä2"] : [3, undefined];
      const resources = [from, from + 1].map((id) => ({
        uri: `tasks://${id}`,
        name: `task ${id}`,
        mimeType: "text/html",
      }));
      return { resources, nextCursor };
    };
    server.resourceTemplate(
      "tasks://{id}",
      { name: "task", list: async (request, context) => tasks(request, context) },
      () => "task",
    );
    const client = await connect(server);

    const pages = await pagesOf(client);
    const { nextCursor = "" } = await client.listResources();
    const { resources } = await client.listResources({ cursor: nextCursor });

    expect(pages.flat()).toEqual([
      ...["fixed://1", "fixed://2", "notes://1", "fixed://3"],
      ...["notes://2", "notes://3", "notes://4", "notes://5"],
      ...["tasks://1", "tasks://2", "tasks://3", "tasks://4"],
    ]);
    expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(3);
    expect(asked).toContain("ä2");
    expect(resources).toContainEqual({ uri: "notes://2", name: "note 2", mimeType: "text/plain" });
    expect((await client.readResource("notes://4")).contents).toMatchObject([{ text: "note" }]);
  },
);

verifies(
  "resources:list:members-checked",
  "a wrong resource of a lister fails the list, with the template and the fault in the report",
  async ({ connect }) => {
    const wrong: [list: unknown, complaint: string][] = [
      [() => [{ uri: "notes://1" }], "resource.name: expected string"],
      [() => [{ uri: "else://1", name: "x" }], "returned else://1, which a read of this template does not serve"],
      [() => [{ uri: "notes://..", name: "x" }], "which a read of this template does not serve"],
      [() => "notes", "returned no list of resources"],
      [() => ({ resources: [], nextCursor: 7 }), "returned a nextCursor that is no string"],
    ];
    for (const [list, complaint] of wrong) {
      const reports: string[] = [];
      const onError = (error: Error) => reports.push(String(error.cause));
      const server = new McpServer({ name: "notes", version: "1.0.0", onError });
      // What types would refuse.
      server.resourceTemplate("notes://{id}", { name: "note", list: list as ResourceLister }, () => "note");
      const client = await connect(server);

      await expect(client.listResources()).rejects.toMatchObject({ code: -32603 });

      expect(reports).toEqual([expect.stringContaining('resource template "notes://{id}": list')]);
      expect(reports[0]).toContain(complaint);
    }
  },
);

verifies("resources:list:members-cursor", "a cursor that the list did not give out is -32602", async ({ connect }) => {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.resourceTemplate("notes://{id}", { name: "note", list: () => [note(1)] }, () => "note");
  const client = await connect(server);

  for (const text of ["[]", "[0,0]", "[-1,0,null]", "[0,0.5,null]", "[0,0,7]", "{}", "%", "7"]) {
    const cursor = btoa(`resource-members:${text}`);
    await expect(client.listResources({ cursor })).rejects.toMatchObject({ code: -32602 });
  }
  await expect(client.listResources({ cursor: "made up" })).rejects.toMatchObject({ code: -32602 });
});

verifies(
  "resources:list:members-private",
  "every page of a list with a private lister is private, those before the template's resources included",
  async ({ connect }) => {
    const scopesOf = async (listCacheScope: "public" | "private" | undefined) => {
      const cache = { ttlMs: 1_000, cacheScope: "public" } as const;
      const server = new McpServer({ name: "notes", version: "1.0.0", pageSize: 1, cache });
      for (const uri of ["fixed://1", "fixed://2"]) server.resource(uri, { name: uri }, () => uri);
      server.resourceTemplate("notes://{id}", { name: "note", list: () => [note(1)], listCacheScope }, () => "note");
      server.resourceTemplate("open://{id}", { name: "open", list: () => [], listCacheScope: "public" }, () => "open");
      const client = await connect(server);
      const first = await client.listResources();
      const second = await client.listResources({ cursor: first.nextCursor ?? "" });
      const third = await client.listResources({ cursor: second.nextCursor ?? "" });
      return [first, second, third].map((page) => (page as { cacheScope?: string }).cacheScope);
    };

    expect(await scopesOf(undefined)).toEqual(["private", "private", "private"]);
    expect(await scopesOf("private")).toEqual(["private", "private", "private"]);
    expect(await scopesOf("public")).toEqual(["public", "public", "public"]);
    await expect(scopesOf("shared" as "public")).rejects.toThrow(
      'resource template "notes://{id}": config.listCacheScope: expected "private" or "public"',
    );
  },
);
