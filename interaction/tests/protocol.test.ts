import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { deferred } from "../src/deferred.js";
import { verifies } from "../src/verifies.js";

verifies(
  "protocol:cancel:in-flight",
  "a cancelled request is not answered, and the next one is",
  async ({ openClient, params }) => {
    const started = deferred();
    const finished = deferred<string>();
    const server = new McpServer({ name: "slow", version: "1.0.0" });
    server.tool("wait", {}, () => {
      started.resolve();
      return finished.promise;
    });
    const peer = await openClient(server);

    await peer.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: params({ name: "wait" }) });
    await started.promise;
    await peer.notify("notifications/cancelled", { requestId: 1 });
    finished.resolve("too late");
    await peer.send({ jsonrpc: "2.0", id: 2, method: "tools/list", params: params() });

    expect(await peer.receive()).toMatchObject({ id: 2, result: { tools: [{ name: "wait" }] } });
    expect(await peer.drain()).toEqual([]);
  },
);
