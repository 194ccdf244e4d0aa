import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

verifies(
  "flow:tool-result:resource-link-follow",
  "the link of a tool's result names a resource that is there",
  async ({ connect }) => {
    const server = new McpServer({ name: "reports", version: "1.0.0" });
    server.resourceTemplate("report://{id}", { name: "report", mimeType: "text/plain" }, ({ variables }) => {
      return `Report ${variables.id}`;
    });
    server.tool("write", {}, () => [{ type: "resource_link" as const, uri: "report://7", name: "report 7" }]);
    const client = await connect(server);

    const { content } = await client.callTool("write");
    const [link] = content;
    if (link?.type !== "resource_link") throw new Error("the tool gives a link");
    const { contents } = await client.readResource(link.uri);

    expect(contents).toEqual([{ uri: "report://7", mimeType: "text/plain", text: "Report 7" }]);
  },
);

verifies(
  "flow:elicitation:url-at-session-init",
  "a client answers a page that the server asks it to open right after the handshake",
  async ({ openServer }) => {
    const asked: unknown[] = [];
    const { peer } = await openServer(
      {},
      {
        elicitUrl: (params) => {
          asked.push(params);
          return { action: "accept" };
        },
      },
    );

    const page = { mode: "url", message: "Sign in", url: "https://example.com/start", elicitationId: "first" };
    const answer = await peer.request("s-1", "elicitation/create", page);

    expect(answer).toEqual({ jsonrpc: "2.0", id: "s-1", result: { action: "accept" } });
    expect(asked).toEqual([page]);
  },
);

verifies(
  "tasks:no-capability:ignore-task-param",
  "a server without tasks answers a call with the param task by the tool's result",
  async ({ openClient }) => {
    const server = new McpServer({ name: "plain", version: "1.0.0" });
    server.tool("add", { input: { type: "object" } }, ({ a, b }) => `${Number(a) + Number(b)}`);
    const peer = await openClient(server);

    const task = { ttl: 60_000 };
    const answer = await peer.request(1, "tools/call", { name: "add", arguments: { a: 2, b: 3 }, task });

    expect(answer.result).toEqual({ content: [{ type: "text", text: "5" }] });
  },
);
