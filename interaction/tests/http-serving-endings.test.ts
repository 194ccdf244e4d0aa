import { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { createFetchHandler } from "parley-mcp/web";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../src/deferred.js";
import { callPost } from "../src/http-posts.js";
import { hostHttp } from "../src/raw-http-client.js";
import { verifies } from "../src/verifies.js";

verifies(
  "hosting:http:shutdown-takes-answers",
  "a question that is open when the server closes is answered",
  async () => {
    const server = new McpServer({ name: "asker", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { action } = await context.elicit({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
      return action;
    });
    for (const path of ["/mcp", "/sse"]) {
      const host = await hostHttp(server, { shutdownGraceMs: 10_000, legacy: { sse: true } });
      const url = new URL(path, host.url);
      let closed: Promise<void> | undefined;
      const client = await Client.connect(url, {
        name: "c",
        version: "1.0.0",
        revision: "2025-06-18",
        onError: () => {},
        elicit: () => {
          closed = host.handle.close();
          return { action: "decline" };
        },
      });
      expect((await client.callTool("ask")).content).toEqual([{ type: "text", text: "decline" }]);
      await closed;
      await client.close();
    }
  },
);

verifies(
  "hosting:http:shutdown-cuts-off",
  "what still runs when the grace is over is told so, in either era, as JSON and on a stream; it is not sent again",
  async () => {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const server = new McpServer({ name: "endless", version: "1.0.0" });
      const started = [deferred<void>(), deferred<void>()];
      let runs = 0;
      server.tool("run", { input: z.object({ talks: z.boolean() }) }, async ({ talks }, context) => {
        if (talks) await context.progress(1);
        started[runs++]?.resolve();
        await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
        return "too late";
      });
      const host = await hostHttp(server, { shutdownGraceMs: 1 });
      const onError = () => {};
      const client = await Client.connect(host.url, { name: "c", version: "1.0.0", revision, onError });
      const calls = [false, true].map((talks) => client.callTool("run", { talks }, { onProgress: () => {} }));
      const outcomes = Promise.allSettled(calls);
      await Promise.all(started.map(({ promise }) => promise));
      await host.handle.close();
      const reason = { name: "ProtocolError", code: -32603, message: "The server is shutting down" };
      expect(await outcomes).toMatchObject([{ reason }, { reason }]);
      expect(runs).toBe(2);
      await client.close();
    }
  },
);

verifies("hosting:http:stalled-reader", "who stops reading is let go, and so is the handler", async () => {
  const released = [deferred<void>(), deferred<void>()];
  const server = new McpServer({ name: "teller", version: "1.0.0", onError: () => {} });
  server.tool("tell", {}, async (_args, context) => {
    while (!context.signal.aborted) await context.notify("acme/note", { text: "x".repeat(100_000) }).catch(() => {});
    released.shift()?.resolve();
    return "";
  });
  const [overSocket, overFetch] = released.map(({ promise }) => promise);
  await using host = await hostHttp(server, { stallTimeoutMs: 20 });
  const unread = await fetch(host.url, callPost("tell"));
  await overSocket;
  await expect(unread.text()).rejects.toThrow();
  const handler = createFetchHandler(server, { stallTimeoutMs: 20 });
  const alsoUnread = await handler(new Request("http://localhost/mcp", callPost("tell")));
  await overFetch;
  await expect(alsoUnread.text()).rejects.toThrow("reads too slowly");
});
