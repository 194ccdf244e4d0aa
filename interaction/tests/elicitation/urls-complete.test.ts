import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const PAGE = { message: "Connect your drive", url: "https://files.example.com/connect" };
const COMPLETE = "notifications/elicitation/complete";

const accept = () => ({ action: "accept" as const });

/** Notes the pages that a client hears the end of. */
function completions() {
  const ids: string[] = [];
  const waiting = new Map<string, () => void>();
  return {
    ids,
    onElicitationComplete: (id: string) => {
      ids.push(id);
      waiting.get(id)?.();
    },
    /** Has the server tell of a page's end, and waits until the client has heard of it. */
    finish: (server: McpServer, id: string) => {
      const { promise, resolve } = deferred();
      waiting.set(id, resolve);
      server.announce.elicitationComplete(id);
      return promise;
    },
  };
}

/** Until the server has had time to send what it must not. */
const delivered = (client: Client) => client.listTools();

verifies(
  "elicitation:url:complete-notification",
  "the notification that a page is done comes once, after the request that opened the page has ended",
  async ({ connect, wire }) => {
    const { ids, onElicitationComplete, finish } = completions();
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { action } = await context.elicit({ ...PAGE, elicitationId: "asked" });
      return action;
    });
    server.tool("require", {}, (_args, context) => context.requireUrl({ ...PAGE, elicitationId: "required" }));
    const client = await connect(server, { elicitUrl: accept, onElicitationComplete });

    await client.callTool("ask");
    await expect(client.callTool("require")).rejects.toMatchObject({ code: -32042 });
    await delivered(client);
    expect(wire.methods("server")).not.toContain(COMPLETE);
    await finish(server, "asked");
    await finish(server, "required");
    server.announce.elicitationComplete("asked");
    await delivered(client);

    expect(ids).toEqual(["asked", "required"]);
    const sent = wire.from("server").filter((message) => "method" in message && message.method === COMPLETE);
    expect(sent).toMatchObject([{ params: { elicitationId: "asked" } }, { params: { elicitationId: "required" } }]);
  },
);

verifies(
  "elicitation:url:complete-initiator-only",
  "each of two clients hears of its own page, and neither of a page that nobody opened or that is gone",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("connect", { input: { type: "object" } }, async ({ id }, context) => {
      const { action } = await context.elicit({ ...PAGE, elicitationId: String(id) });
      return action;
    });
    const [adas, bobs] = [completions(), completions()];
    const ada = await connect(server, { elicitUrl: accept, onElicitationComplete: adas.onElicitationComplete });
    const bob = await connect(server, { elicitUrl: accept, onElicitationComplete: bobs.onElicitationComplete });
    const eve = await connect(server, { elicitUrl: accept });

    await ada.callTool("connect", { id: "a" });
    await bob.callTool("connect", { id: "b" });
    await eve.callTool("connect", { id: "e" });
    await eve.close();
    for (const id of ["nobody's", "e"]) server.announce.elicitationComplete(id);
    await bobs.finish(server, "b");
    await adas.finish(server, "a");
    await Promise.all([delivered(ada), delivered(bob)]);

    expect([adas.ids, bobs.ids]).toEqual([["a"], ["b"]]);
    expect(wire.methods("server").filter((method) => method === COMPLETE)).toHaveLength(2);
  },
);

verifies(
  "elicitation:url:complete-unknown-ignored",
  "the callback hears of the page it was asked to open, once, and the connection goes on",
  async ({ openServer }) => {
    const completed: string[] = [];
    const { peer, client } = await openServer(
      { tools: {} },
      { elicitUrl: accept, onElicitationComplete: (id) => void completed.push(id) },
    );

    await peer.notify(COMPLETE, { elicitationId: "1" });
    await peer.request(1, "elicitation/create", { mode: "url", ...PAGE, elicitationId: "1" });
    for (const elicitationId of ["2", "1", "1"]) await peer.notify(COMPLETE, { elicitationId });
    const listing = client.listTools();
    await peer.respond(await peer.receive(), { tools: [] });
    await listing;

    expect(completed).toEqual(["1"]);
  },
);

verifies(
  "elicitation:url:complete-bounded",
  "the oldest of three open pages is forgotten if two have room, and all pages are after their time",
  async ({ connect }) => {
    let now = 0;
    const server = new McpServer({
      name: "drive",
      version: "1.0.0",
      urlElicitations: { max: 2, ttlMs: 1_000, now: () => now },
    });
    server.tool("connect", { input: { type: "object" } }, async ({ id }, context) => {
      const { action } = await context.elicit({ ...PAGE, elicitationId: String(id) });
      return action;
    });
    const { ids, onElicitationComplete, finish } = completions();
    const client = await connect(server, { elicitUrl: accept, onElicitationComplete });

    for (const id of ["1", "2", "3"]) await client.callTool("connect", { id });
    now = 999;
    server.announce.elicitationComplete("1");
    await finish(server, "2");
    now = 1_000;
    server.announce.elicitationComplete("3");
    await delivered(client);

    expect(ids).toEqual(["2"]);
  },
);

verifies(
  "elicitation:url:complete-modern",
  "a modern client gets no notification when the user is done with a page",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("connect", {}, async (_args, context) => {
      const { action } = await context.elicit({ ...PAGE, elicitationId: "1" });
      return action;
    });
    const client = await connect(server, {
      elicitUrl: accept,
      onElicitationComplete: () => {
        throw new Error("must not run");
      },
    });

    await client.callTool("connect");
    server.announce.elicitationComplete("1");
    await delivered(client);

    expect(wire.methods("server")).not.toContain(COMPLETE);
  },
);

verifies(
  "flow:elicitation:url-required-then-retry",
  "a call that required a page is made again when the user is done, and returns what the tool says now",
  async ({ connect, wire }) => {
    const shown = deferred();
    let isConnected = false;
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("files", {}, (_args, context) =>
      isConnected ? "a.txt" : context.requireUrl({ ...PAGE, elicitationId: "1" }),
    );
    const client = await connect(server, {
      urlRetryMs: 60_000,
      elicitUrl: ({ url }) => {
        shown.resolve();
        return { action: url === PAGE.url ? "accept" : "decline" };
      },
    });

    const call = client.callTool("files");
    await shown.promise;
    await delivered(client);
    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(1);
    isConnected = true;
    server.announce.elicitationComplete("1");

    expect(await call).toMatchObject({ content: [{ text: "a.txt" }] });
    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(2);
  },
);

verifies(
  "flow:elicitation:url-required-not-retried",
  "a call that required a page rejects with -32042 and goes out once if the user declines or retries are off",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("files", {}, (_args, context) => context.requireUrl(PAGE));
    const declining = await connect(server, { urlRetryMs: 60_000, elicitUrl: () => ({ action: "decline" }) });
    const manual = await connect(server, {
      elicitUrl: () => {
        throw new Error("must not run");
      },
    });

    await expect(declining.callTool("files")).rejects.toMatchObject({ code: -32042 });
    await expect(manual.callTool("files")).rejects.toMatchObject({ code: -32042 });

    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(2);
  },
);
