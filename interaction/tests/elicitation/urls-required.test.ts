import { requiredUrls } from "parley-mcp/client";
import { McpServer, type ServerContext } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const PAGE = { message: "Connect your drive", url: "https://files.example.com/connect" };
const OTHER = { message: "Accept the terms", url: "https://files.example.com/terms" };

const mustNotRun = () => {
  throw new Error("must not run");
};

verifies(
  "elicitation:url:required-error",
  "the caller gets the pages in their order, with the author's id or a new one",
  async ({ connect }) => {
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("files", {}, (_args, context) => context.requireUrl({ ...PAGE, elicitationId: "drive-7" }, OTHER));
    const client = await connect(server, { elicitUrl: mustNotRun });

    const errors: unknown[] = [];
    for (let n = 0; n < 2; n += 1) errors.push(await client.callTool("files").catch((error: unknown) => error));

    const elicitations = [
      { mode: "url", ...PAGE, elicitationId: "drive-7" },
      { mode: "url", ...OTHER, elicitationId: expect.stringMatching(/./) },
    ];
    const refused = { code: -32042, message: expect.stringContaining(PAGE.message), data: { elicitations } };
    expect(errors).toMatchObject([refused, refused]);
    expect(new Set(errors.map((error) => requiredUrls(error)[1]?.elicitationId)).size).toBe(2);
  },
);

verifies(
  "elicitation:url:required-written-once",
  "a tool, prompt, resource or custom method that requires a page is -32042, whether its handler returns or awaits that",
  async ({ connect }) => {
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    const require = (context: ServerContext) => context.requireUrl(PAGE);
    server.tool("files", {}, async (_args, context) => {
      await context.requireUrl(PAGE);
      return "must not come here";
    });
    server.prompt("files", {}, (_args, context) => require(context));
    server.resource("drive://a", { name: "a" }, (_request, context) => require(context));
    server.handle("acme/files", (_params, context) => require(context));
    const client = await connect(server, { elicitUrl: mustNotRun });

    const refused = { code: -32042, data: { elicitations: [{ mode: "url", ...PAGE }] } };
    await expect(client.callTool("files")).rejects.toMatchObject(refused);
    await expect(client.getPrompt("files")).rejects.toMatchObject(refused);
    await expect(client.readResource("drive://a")).rejects.toMatchObject(refused);
    await expect(client.request("acme/files")).rejects.toMatchObject(refused);
  },
);

verifies(
  "elicitation:url:required-not-declared",
  "the refusal names elicitation.url, in every revision",
  async ({ connect, era }) => {
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("files", {}, (_args, context) => context.requireUrl(PAGE));
    const client = await connect(server, { elicit: mustNotRun });

    await expect(client.callTool("files")).rejects.toMatchObject({
      code: era === "modern" ? -32021 : -32602,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  },
);

verifies(
  "elicitation:url:required-rounds",
  "two required pages are asked in one round, an unfinished one in another, and a form after them in a third",
  async ({ connect, wire }) => {
    const done = new Set<string>();
    const opened: string[] = [];
    const drawn: number[] = [];
    const server = new McpServer({ name: "drive", version: "1.0.0" });
    server.tool("files", {}, async (_args, context) => {
      const order = await context.once("order", () => drawn.push(1));
      const [first, ...others] = [PAGE, OTHER].filter(({ url }) => !done.has(url));
      if (first) return context.requireUrl(first, ...others);
      const { content } = await context.elicit({ message: "Which?", schema: z.object({ name: z.string() }) });
      return `${content?.name} of ${order}`;
    });
    const client = await connect(server, {
      elicitUrl: ({ url }) => {
        opened.push(url);
        // The user is done with the terms at once, and with the drive only when asked for the second time.
        if (url === OTHER.url || opened.length === 3) done.add(url);
        return { action: "accept" };
      },
      elicit: () => ({ action: "accept", content: { name: "a.txt" } }),
    });

    expect(await client.callTool("files")).toMatchObject({ content: [{ text: "a.txt of 1" }] });

    expect(opened).toEqual([PAGE.url, OTHER.url, PAGE.url]);
    expect(drawn).toEqual([1]);
    expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(4);
    expect(wire.from("server").filter((message) => "error" in message)).toEqual([]);
  },
);

verifies(
  "elicitation:url:required-declined",
  "a required page that the user does not open ends the call with an error that names page and action, and no other question is asked",
  async ({ connect }) => {
    for (const action of ["decline", "cancel"] as const) {
      const server = new McpServer({ name: "drive", version: "1.0.0" });
      server.tool("files", {}, async (_args, context) => {
        await context.requireUrl(PAGE);
        await context.elicit({ message: "Which?", schema: { type: "object", properties: {} } });
        return "asked";
      });
      const client = await connect(server, { elicitUrl: () => ({ action }), elicit: mustNotRun });

      await expect(client.callTool("files")).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining(PAGE.message),
        data: { url: PAGE.url, action },
      });
    }
  },
);

verifies(
  "elicitation:url:required-urls",
  "requiredUrls leaves out entries that are no page, and pages of an error with another code",
  async ({ openServer }) => {
    const { peer, client } = await openServer();
    const page = { mode: "url", ...PAGE, elicitationId: "1" };
    const answers = [
      { code: -32042, message: "First", data: { elicitations: [page, { ...page, mode: "form" }, "no page"] } },
      { code: -32042, message: "First" },
      { code: -32602, message: "Other", data: { elicitations: [page] } },
    ];

    const seen: unknown[] = [];
    for (const { code, message, data } of answers) {
      const call = client.callTool("files").catch((error: unknown) => error);
      await peer.respondError(await peer.receive(), code, message, data);
      seen.push(requiredUrls(await call));
    }

    expect(seen).toEqual([[page], [], []]);
  },
);
