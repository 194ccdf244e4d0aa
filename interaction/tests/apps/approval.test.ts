import { serveApps } from "parley-mcp/apps";
import type { Client } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { show } from "../../src/apps/scripted-view.js";
import type { Conversation } from "../../src/conversation.js";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const text = (value: string) => ({ type: "text", text: value });

async function connectBoard({ connect }: Pick<Conversation, "connect">): Promise<{ client: Client; called: string[] }> {
  const called: string[] = [];
  const server = new McpServer({ name: "board", version: "1.0.0" });
  const ui = serveApps(server);
  const page = ui.page("ui://board/main", { name: "board", html: "<!doctype html><p>Board</p>" });
  ui.tool("show_board", { input: z.object({ team: z.string() }), page }, ({ team }) => {
    called.push("show_board");
    return `Board of ${team}`;
  });
  ui.tool("delete_board", { visibility: ["model"] }, () => {
    called.push("delete_board");
  });
  server.resource("board://cards", { name: "cards" }, () => "seven cards");
  return { client: await connect(server), called };
}

verifies(
  "apps:host:approval",
  "approve gets the method and the params of each request of a page, and a denied request is answered -32000",
  async ({ connect }) => {
    const { client, called } = await connectBoard({ connect });
    const asked: string[] = [];
    const approve = async ({ method, params }: { method: string; params: object }) => {
      asked.push(`${method} ${JSON.stringify(params)}`);
      return method !== "tools/call";
    };
    await using shown = await show(client, "show_board", { approve });
    await shown.view.initialize();

    const call = await shown.view.request("tools/call", { name: "show_board", arguments: { team: "a" } });
    const read = await shown.view.request("resources/read", { uri: "board://cards" });

    expect(call.error).toEqual({ code: -32000, message: "tools/call: denied by the host" });
    expect(read.result).toBeDefined();
    expect(called).toEqual([]);
    expect(asked).toEqual([
      'tools/call {"name":"show_board","arguments":{"team":"a"}}',
      'resources/read {"uri":"board://cards"}',
    ]);
  },
);

verifies(
  "apps:host:approval",
  "approve is not called for requests that the host refuses anyway",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    const asked: string[] = [];
    const approve = ({ method }: { method: string }) => {
      asked.push(method);
      return true;
    };
    await using shown = await show(client, "show_board", { approve });
    await shown.view.initialize();

    const call = await shown.view.request("tools/call", { name: "delete_board", arguments: {} });
    const link = await shown.view.request("ui/open-link", { url: "https://example.com" });
    const message = await shown.view.request("ui/message", { role: "user", content: text("hello") });

    expect(call.error).toMatchObject({ code: -32602 });
    expect([link.error, message.error]).toMatchObject([{ code: -32000 }, { code: -32000 }]);
    expect(asked).toEqual([]);
  },
);

verifies(
  "apps:host:approval",
  "a request that is approved after the host has closed has no effect",
  async ({ connect }) => {
    const { client } = await connectBoard({ connect });
    const asked = deferred<void>();
    const answer = deferred<boolean>();
    const opened: string[] = [];
    const approve = () => {
      asked.resolve();
      return answer.promise;
    };
    const onOpenLink = (url: URL) => opened.push(url.href) > 0;
    await using shown = await show(client, "show_board", { approve, onOpenLink, teardownMs: 1 });
    await shown.view.initialize();

    void shown.view.request("ui/open-link", { url: "https://example.com" });
    await asked.promise;
    await shown.host.close();
    answer.resolve(true);
    await answer.promise;
    await new Promise((resolve) => void setImmediate(resolve));

    expect(opened).toEqual([]);
  },
);
