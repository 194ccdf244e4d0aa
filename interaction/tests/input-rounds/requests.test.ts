import { inputRequired, McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { verifies } from "../../src/verifies.js";

const FORM = { type: "object", properties: { name: { type: "string" } } } as const;
const formRequest = (message: string) =>
  ({ method: "elicitation/create", params: { mode: "form", message, requestedSchema: FORM } }) as const;
const accept = () => ({ action: "accept", content: { name: "Ada" } }) as const;

const askName = async (_params: unknown, context: ServerContext) => {
  const { content } = await context.elicit({ message: "Name?", schema: FORM });
  return `${JSON.stringify(content)}`;
};

verifies(
  "mrtr:push-api:loud-fail",
  "a modern handler that sends a request of its own is refused with the reason, and nothing goes out",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "pushy", version: "1.0.0" });
    server.tool("push", {}, async (_args, context) => {
      const refusals = ["elicitation/create", "sampling/createMessage", "roots/list", "acme/ask"].map((method) =>
        context.request(method, {}).catch((error: { code: string }) => error.code),
      );
      return (await Promise.all(refusals)).join();
    });
    const client = await connect(server, { elicit: accept, listRoots: () => [] });

    const { content } = await client.callTool("push");

    expect(content).toMatchObject([{ text: "method-not-in-revision,".repeat(4).slice(0, -1) }]);
    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "mrtr:requests:keys",
  "keys are the author's, or count per method in the order of asking",
  async ({ connect }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      await Promise.all([
        context.elicit({ message: "a", schema: FORM }),
        context.elicit({ message: "b", schema: FORM }, { key: "mine" }),
        context.listRoots(),
        context.elicit({ message: "c", schema: FORM }),
        context.listRoots({ key: "__proto__" }),
      ]);
      return "asked";
    });
    const client = await connect(server, { elicit: accept, listRoots: () => [] });

    const { inputRequests } = await client.request("tools/call", { name: "ask" });

    expect(Object.entries(inputRequests as JsonObject)).toEqual([
      ["elicitation/create#1", formRequest("a")],
      ["mine", formRequest("b")],
      ["roots/list#1", { method: "roots/list" }],
      ["elicitation/create#2", formRequest("c")],
      ["__proto__", { method: "roots/list" }],
    ]);
    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "asked" }] });
  },
);

verifies(
  "mrtr:requests:unique-keys",
  "a second question under a used key is refused by name, and the same question twice is one",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "careless", version: "1.0.0", onError: (error) => reported.push(error) });
    const ask = (context: ServerContext, message: string) =>
      context.elicit({ message, schema: FORM }, { key: "twice" });
    server.tool("side-by-side", {}, async (_args, context) => {
      await Promise.all([ask(context, "a"), ask(context, "b")]);
      return "asked";
    });
    server.tool("same", {}, async (_args, context) => {
      const answers = await Promise.all([ask(context, "a"), ask(context, "a")]);
      return JSON.stringify(answers.map(({ content }) => content));
    });
    const client = await connect(server, { elicit: accept });

    expect(await client.callTool("side-by-side")).toMatchObject({ isError: true });
    expect(JSON.stringify(wire.from("server"))).not.toContain("elicitation/create");
    expect(reported).toMatchObject([{ cause: { message: expect.stringContaining("twice") } }]);
    expect(await client.callTool("same")).toMatchObject({ content: [{ text: '[{"name":"Ada"},{"name":"Ada"}]' }] });
  },
);

verifies(
  "mrtr:requests:kinds",
  "neither a method that is no question nor one without its params goes out",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "careless", version: "1.0.0", onError: (error) => reported.push(error) });
    const requests: JsonObject[] = [
      { method: "ping" },
      { method: "tools/call", params: { name: "x" } },
      { method: "elicitation/create", params: { message: 7 } },
    ];
    for (const [index, request] of requests.entries()) {
      // What the types forbid, a program without types may still do.
      server.tool(`ask-${index}`, {}, () => inputRequired({ inputRequests: { q: request as never } }));
    }
    const client = await connect(server, { elicit: accept });

    for (const index of requests.keys()) {
      expect(await client.callTool(`ask-${index}`)).toMatchObject({ isError: true });
    }
    expect(reported).toHaveLength(3);
    expect(JSON.stringify(wire.from("server"))).not.toContain("input_required");
  },
);

verifies(
  "mrtr:requests:undeclared",
  "a raw request that the client declared no support for is -32021",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, () =>
      inputRequired({ inputRequests: { name: formRequest("Name?"), roots: { method: "roots/list" } } }),
    );
    const client = await connect(server, { elicit: accept });

    await expect(client.callTool("ask")).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { roots: {} } },
    });
    expect(JSON.stringify(wire.from("server"))).not.toContain("input_required");
  },
);

verifies(
  "mrtr:methods:supported",
  "a tool, a prompt and a resource each ask a question, and then end with their result",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, askName);
    server.prompt("ask", {}, askName);
    server.resource("ask://it", { name: "it" }, askName);
    const client = await connect(server, { elicit: accept });

    const name = '{"name":"Ada"}';
    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: name }] });
    expect(await client.getPrompt("ask")).toMatchObject({ messages: [{ content: { text: name } }] });
    expect(await client.readResource("ask://it")).toMatchObject({ contents: [{ text: name }] });

    const kinds = wire.from("server").flatMap((sent) => ("result" in sent ? [sent.result.resultType] : []));
    expect(kinds.slice(1)).toEqual([
      "input_required",
      "complete",
      "input_required",
      "complete",
      "input_required",
      "complete",
    ]);
  },
);

verifies(
  "mrtr:methods:no-other",
  "completion and a method of the author's own end as -32603, whichever way they ask",
  async ({ connect, wire }) => {
    const reported: Error[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0", onError: (error) => reported.push(error) });
    server.handle("acme/ask", async (params, context) => ({ text: await askName(params, context) }));
    server.handle("acme/raw", () => inputRequired({ requestState: "s" }));
    server.handle("completion/complete", () => inputRequired({ inputRequests: { q: formRequest("Name?") } }));
    server.handle("tools/list", async (params, context) => ({ tools: [], text: await askName(params, context) }));
    const client = await connect(server, { elicit: accept });
    const ref = { type: "ref/prompt", name: "x" };

    for (const [method, params] of [
      ["acme/ask", {}],
      ["acme/raw", {}],
      ["completion/complete", { ref, argument: { name: "a", value: "" } }],
      ["tools/list", {}],
    ] as const) {
      await expect(client.request(method, params), method).rejects.toMatchObject({ code: -32603 });
    }
    expect(reported).toHaveLength(4);
    expect(JSON.stringify(wire.from("server"))).not.toContain("input_required");
  },
);
