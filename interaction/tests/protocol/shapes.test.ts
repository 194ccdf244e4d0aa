/** The shapes of answers and notifications, and codes and identities that mean nothing to the side that receives them. */
import type { Client } from "parley-mcp/client";
import { McpServer, ProtocolError } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { connectLegacy, connectModern, RawHttpServer } from "../../src/http/raw-http-server.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:frame:answers",
  "results, intended errors, crashes and codes that are no whole numbers come as the shapes say",
  { judge: "our-side-is-made-to-misbehave" },
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "shapes", version: "1.0.0", onError: () => undefined });
    server.tool("work", {}, async (_args, context) => {
      await context.notify("acme/note", { step: 1 });
      return "done";
    });
    for (const [name, error] of [
      ["intended", new ProtocolError(503, "Busy")],
      ["fraction", new ProtocolError(1.5, "Odd")],
      ["nothing", new ProtocolError(Number.NaN, "Odd")],
      ["crash", new Error("line 1\nline 2")],
    ] as const) {
      server.handle(`acme/${name}`, () => Promise.reject(error));
    }
    const client = await connect(server);

    await client.callTool("work");
    for (const name of ["intended", "fraction", "nothing", "crash", "unknown"]) {
      await expect(client.request(`acme/${name}`)).rejects.toThrow();
    }

    const sent = wire.from("server").map((message) => JSON.parse(JSON.stringify(message)));
    const answers = sent.filter((message) => "id" in message);
    const notifications = sent.filter((message) => "method" in message);
    expect(answers.length).toBeGreaterThan(6);
    expect(notifications.map(({ method }) => method)).toContain("acme/note");
    for (const notification of [...notifications, ...wire.from("client").filter((message) => !("id" in message))]) {
      expect("id" in notification).toBe(false);
    }
    for (const answer of answers) {
      expect("result" in answer).toBe(!("error" in answer));
      if ("result" in answer) expect(answer.result).toBeTypeOf("object");
      else expect(Number.isInteger(answer.error.code)).toBe(true);
      if ("error" in answer) expect(answer.error.message).toMatch(/^.+$/);
    }
  },
);

verifies(
  "errors:received:unassigned-codes",
  "each code reaches the caller with its message and data, and the next call is answered",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer();

    for (let code = -32_000; code >= -32_019; code -= 1) {
      if (code === -32_002) continue;
      const failure = client.callTool("odd").catch((error: unknown) => error);
      await peer.respondError(await peer.receive(), code, "Odd", { code });
      expect(await failure).toMatchObject({ name: "ProtocolError", code, message: "Odd", data: { code } });
    }

    const call = client.callTool("fine");
    await peer.respond(await peer.receive(), { ...(era === "modern" && { resultType: "complete" }), content: [] });
    expect((await call).content).toEqual([]);
  },
);

verifies(
  "meta:info:display-only",
  "clients of different names are answered alike by servers of different names",
  async ({ connect }) => {
    const answersTo = async (client: string, serverName: string) => {
      const server = new McpServer({ name: serverName, version: serverName === "plain" ? "1.0.0" : "99.0.0-beta" });
      server.tool("add", { input: z.object({ a: z.number() }) }, ({ a }) => `${a + 1}`);
      server.resource("a://b", { name: "b" }, () => "text");
      const connected = await connect(server, { name: client, version: client === "plain" ? "1.0.0" : "0" });
      const answers = [
        await connected.listTools(),
        await connected.callTool("add", { a: 1 }),
        await connected.readResource("a://b"),
        await connected.callTool("missing").catch(({ code, message }) => ({ code, message })),
        connected.serverCapabilities,
        connected.revision,
      ];
      return JSON.stringify(answers).replaceAll(JSON.stringify(server.info), "");
    };

    const plain = await answersTo("plain", "plain");

    expect(plain).toContain('"text":"2"');
    for (const name of ["claude-ai", "Visual Studio Code", "__proto__"]) {
      expect(await answersTo(name, "plain")).toBe(plain);
      expect(await answersTo("plain", name)).toBe(plain);
    }
  },
);

verifies(
  "client-transport:http:one-message-per-post",
  "three calls at once and a notification are four POSTs with a message each, in both eras",
  async () => {
    await using server = await RawHttpServer.start();
    for (const { client } of [await connectLegacy(server), await connectModern(server)]) {
      const before = server.calls.length;
      const calls = ["a", "b", "c"].map((name) => client.callTool(name).catch(() => undefined));
      const note = client.notify("acme/note");
      const posts = [await server.next(), await server.next(), await server.next(), await server.next()];
      for (const post of posts) {
        if (post.message?.id === undefined) post.respond(202);
        else post.result({ resultType: "complete", content: [] });
      }
      await Promise.all([...calls, note]);

      const sent = server.calls.slice(before).filter(({ verb }) => verb === "POST");
      expect(sent.map(({ message }) => message?.method).sort()).toEqual([
        "acme/note",
        "tools/call",
        "tools/call",
        "tools/call",
      ]);
      expect(sent.every(({ message }) => !Array.isArray(message))).toBe(true);
      await client.close();
    }
  },
);

verifies(
  "sampling:create:own-messages",
  "the second of two sampling requests does not repeat the first",
  async ({ connect }) => {
    const server = new McpServer({ name: "sampler", version: "1.0.0" });
    server.tool("sample", { input: z.object({ text: z.string() }) }, async ({ text }, context) => {
      const message = { role: "user", content: { type: "text", text } } as const;
      return (await context.sample({ messages: [message], maxTokens: 1 })).model;
    });
    const asked: unknown[] = [];
    const client = await connect(server, {
      sample: ({ messages }) => {
        asked.push(messages);
        return { role: "assistant", content: { type: "text", text: "ok" }, model: "m" };
      },
    });

    await client.callTool("sample", { text: "first" });
    await client.callTool("sample", { text: "second" });

    const only = (text: string) => [{ role: "user", content: { type: "text", text } }];
    expect(asked).toEqual([only("first"), only("second")]);
  },
);

verifies(
  "lifecycle:lists:same-for-all",
  "two clients see the same lists, before and after one of them has called everything",
  async ({ connect }) => {
    const server = new McpServer({ name: "shared", version: "1.0.0" });
    server.tool("a", {}, () => "a");
    server.tool("b", {}, () => "b");
    server.prompt("p", {}, () => "p");
    server.resource("x://y", { name: "y" }, () => "y");
    server.resourceTemplate("x://{z}/all", { name: "z" }, () => "z");
    const lists = async (client: Client) => {
      const { tools } = await client.listTools();
      const { prompts } = await client.listPrompts();
      const { resources } = await client.listResources();
      const { resourceTemplates } = await client.listResourceTemplates();
      return { tools, prompts, resources, resourceTemplates };
    };
    const first = await connect(server, { name: "first" });
    const before = await lists(first);

    await first.callTool("a");
    await first.callTool("missing").catch(() => undefined);
    await first.getPrompt("p");
    await first.readResource("x://y");
    const second = await connect(server, { name: "second" });

    expect(before.tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(await lists(first)).toEqual(before);
    expect(await lists(second)).toEqual(before);
  },
);

verifies("resources:register:uri", "a resource URI without a scheme is refused, and a custom scheme is not", () => {
  const server = new McpServer({ name: "files", version: "1.0.0" });

  for (const uri of ["", "notes", "/notes/1", "1st://x", "my notes://x", "nötes://x", "://x"]) {
    expect(() => server.resource(uri, { name: "n" }, () => "")).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  }
  for (const uri of ["notes://today", "x+y-z.1:opaque", "git:a/b", "urn:isbn:0451450523"]) {
    server.resource(uri, { name: uri }, () => "");
  }
});

verifies(
  "completion:client:partial-results",
  "no values, no total and no word on more are no error",
  async ({ openServer, era }) => {
    const { peer, client } = await openServer({ completions: {}, prompts: {} });
    const kind = era === "modern" ? { resultType: "complete" } : {};

    for (const completion of [{ values: [] }, { values: ["a"], hasMore: true }, { values: ["a", "b"], total: 7 }]) {
      const completing = client.complete({
        ref: { type: "ref/prompt", name: "p" },
        argument: { name: "a", value: "" },
      });
      await peer.respond(await peer.receive(), { ...kind, completion });
      expect((await completing).completion).toEqual(completion);
    }
  },
);
