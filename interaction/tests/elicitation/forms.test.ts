import { McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const NAME_FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

verifies(
  "tools:call:elicitation-roundtrip",
  "a tool asks its user, and its result contains what the user entered",
  async ({ connect }) => {
    const server = new McpServer({ name: "greeter", version: "1.0.0" });
    server.tool("greet", { input: z.object({ greeting: z.string() }) }, async ({ greeting }, context) => {
      const { content } = await context.elicit({ message: "Who are you?", schema: z.object({ name: z.string() }) });
      return `${greeting}, ${content?.name}`;
    });
    const client = await connect(server, { elicit: () => ({ action: "accept", content: { name: "Ada" } }) });

    const { content } = await client.callTool("greet", { greeting: "Hello" });

    expect(content).toEqual([{ type: "text", text: "Hello, Ada" }]);
  },
);

verifies(
  "mcpserver:context:elicit-from-handler",
  "the same function asks from a tool, a prompt, a resource and a template",
  async ({ connect }) => {
    const askName = async (_params: unknown, context: ServerContext) => {
      const answer = await context.elicit({ message: "Who are you?", schema: z.object({ name: z.string() }) });
      return answer.action === "accept" ? answer.content.name : "nobody";
    };
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("who", {}, askName);
    server.prompt("who", {}, askName);
    server.resource("who://me", { name: "me" }, askName);
    server.resourceTemplate("who://{place}/me", { name: "place" }, askName);
    const client = await connect(server, { elicit: () => ({ action: "accept", content: { name: "Ada" } }) });

    expect(await client.callTool("who")).toMatchObject({ content: [{ type: "text", text: "Ada" }] });
    expect(await client.getPrompt("who")).toMatchObject({ messages: [{ content: { text: "Ada" } }] });
    expect(await client.readResource("who://me")).toMatchObject({ contents: [{ uri: "who://me", text: "Ada" }] });
    expect(await client.readResource("who://home/me")).toMatchObject({ contents: [{ text: "Ada" }] });
  },
);

verifies(
  "elicitation:form:basic",
  "a client's elicit handler gets message, mode and form as the server wrote them",
  async ({ connect }) => {
    const asked: unknown[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const { action } = await context.elicit({ message: "Your GitHub name, please", schema: NAME_FORM });
      return action;
    });
    const client = await connect(server, {
      elicit: (params) => {
        asked.push(params);
        return { action: "accept", content: { name: "octocat" } };
      },
    });

    await client.callTool("ask");

    expect(asked).toEqual([{ mode: "form", message: "Your GitHub name, please", requestedSchema: NAME_FORM }]);
  },
);

verifies(
  "elicitation:form:mode-omitted-default",
  "a question without a mode is asked as a form, and the answer goes back",
  async ({ openServer, era }) => {
    const asked: unknown[] = [];
    const { peer, client } = await openServer(
      { tools: {} },
      {
        elicit: ({ message }) => {
          asked.push(message);
          return { action: "accept", content: { name: "Ada" } };
        },
        elicitUrl: () => {
          throw new Error("must not run");
        },
      },
    );
    const params = { message: "Name?", requestedSchema: NAME_FORM };
    const answer = { action: "accept", content: { name: "Ada" } };

    const calling = client.callTool("ask");
    const call = await peer.receive();
    if (era === "legacy") {
      expect(await peer.request("q", "elicitation/create", params)).toMatchObject({ id: "q", result: answer });
      await peer.respond(call, { content: [] });
    } else {
      const inputRequests = { name: { method: "elicitation/create", params } };
      await peer.respond(call, { resultType: "input_required", inputRequests });
      const retry = await peer.receive();
      expect((retry.params as JsonObject).inputResponses).toEqual({ name: answer });
      await peer.respond(retry, { resultType: "complete", content: [] });
    }

    await calling;
    expect(asked).toEqual(["Name?"]);
  },
);

for (const action of ["accept", "decline", "cancel"] as const) {
  verifies(
    `elicitation:form:action:${action}`,
    `the handler is told ${action}${action === "accept" ? " and what was entered" : " and nothing of what was entered"}`,
    async ({ connect, wire }) => {
      const answers: unknown[] = [];
      const server = new McpServer({ name: "curious", version: "1.0.0" });
      server.tool("ask", {}, async (_args, context) => {
        answers.push(await context.elicit({ message: "Name?", schema: NAME_FORM }));
        return "asked";
      });
      const client = await connect(server, { elicit: () => ({ action, content: { name: "half a na" } }) });

      await client.callTool("ask");

      expect(answers).toEqual([action === "accept" ? { action, content: { name: "half a na" } } : { action }]);
      const sent = JSON.stringify(wire.from("client"));
      expect(sent.includes("half a na")).toBe(action === "accept");
    },
  );
}

verifies(
  "flow:elicitation:multi-step-form",
  "a handler does not ask its next step after a declined one, and the tool ends by itself",
  async ({ connect }) => {
    const asked: string[] = [];
    const server = new McpServer({ name: "wizard", version: "1.0.0" });
    server.tool("sign-up", {}, async (_args, context) => {
      const name = await context.elicit({ message: "Name?", schema: NAME_FORM });
      if (name.action !== "accept") return "no name";
      const age = await context.elicit({ message: "Age?", schema: z.object({ age: z.number() }) });
      if (age.action !== "accept") return `${name.content.name} would rather not say`;
      await context.elicit({ message: "Shoe size?", schema: z.object({ size: z.number() }) });
      throw new Error("must not run");
    });
    const client = await connect(server, {
      elicit: ({ message }) => {
        asked.push(message);
        return message === "Name?" ? { action: "accept", content: { name: "Ada" } } : { action: "decline" };
      },
    });

    const { content } = await client.callTool("sign-up");

    expect(content).toEqual([{ type: "text", text: "Ada would rather not say" }]);
    expect(asked).toEqual(["Name?", "Age?"]);
  },
);

verifies(
  "elicitation:form:handler-failure",
  "an exception of the client's elicit handler is -32603 to a legacy server, or rejects the modern call",
  async ({ connect, era, wire }) => {
    const failure = new Error("the dialog crashed");
    const reported: Error[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const told = await context.elicit({ message: "Name?", schema: NAME_FORM }).catch((error: unknown) => error);
      return JSON.stringify(told instanceof Error && "code" in told ? [told.code, told.message] : told);
    });
    const elicit = () => {
      throw failure;
    };
    const client = await connect(server, { elicit, onError: (error) => reported.push(error) });

    const calling = client.callTool("ask");

    if (era === "legacy") {
      expect(await calling).toMatchObject({ content: [{ text: '[-32603,"Internal error"]' }] });
      expect(reported).toMatchObject([{ code: "handler-failed", cause: failure }]);
    } else {
      await expect(calling).rejects.toBe(failure);
      expect(wire.methods("client").filter((method) => method === "tools/call")).toHaveLength(1);
    }
  },
);

verifies(
  "elicitation:handler:signal",
  "the signal of an open dialog aborts with its call, which rejects without waiting for the dialog",
  async ({ connect }) => {
    const reason = new Error("the user closed the window");
    const giveUp = new AbortController();
    const seen: unknown[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      await context.elicit({ message: "Name?", schema: NAME_FORM });
      return "asked";
    });
    const dialog = deferred<{ action: "cancel" }>();
    const client = await connect(server, {
      elicit: (_params, { signal }) => {
        signal?.addEventListener("abort", () => seen.push("aborted"));
        queueMicrotask(() => giveUp.abort(reason));
        return dialog.promise;
      },
    });

    await expect(client.callTool("ask", {}, { signal: giveUp.signal })).rejects.toMatchObject({
      code: "request-aborted",
    });

    await expect.poll(() => seen).toEqual(["aborted"]);
    dialog.resolve({ action: "cancel" });
  },
);
