import { McpServer } from "parley-mcp/server";
import { receiveTasks } from "parley-mcp/tasks";
import { expect, vi } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const identity = { name: "studio", version: "1.0.0" };
const RELATED_TASK = "io.modelcontextprotocol/related-task";
const schema = z.object({ dish: z.string() });
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const elicit = () => ({ action: "accept" as const, content: { dish: "soup" } });
const sample = () => ({
  role: "assistant" as const,
  model: "m",
  content: { type: "text" as const, text: "Bon appétit" },
});
const tasks = receiveTasks({ pollIntervalMs: 50 });

verifies(
  "tasks:bidirectional",
  "a server runs its questions as tasks of the client, polls them, and reads the answers by tasks/result",
  async ({ connect, wire }) => {
    const server = new McpServer(identity);
    server.tool("order", async (_args, context) => {
      const { content } = await context.elicit({ message: "Dish?", schema }, { task: true });
      const { content: said } = await context.sample(
        { messages: [{ role: "user", content: { type: "text", text: "Wish" } }], maxTokens: 9 },
        { task: true },
      );
      return `One ${content?.dish}: ${"text" in said ? said.text : ""}`;
    });
    const client = await connect(server, { elicit, sample, tasks });

    expect(await client.callTool("order")).toMatchObject(text("One soup: Bon appétit"));
    const asked = wire.from("server").flatMap((message) => ("method" in message ? [message.method] : []));
    expect(asked).toContain("tasks/get");
    expect(asked.filter((method) => method === "tasks/result")).toHaveLength(2);
    const [created] = wire.from("client").flatMap((message) => ("result" in message && message.result.task) || []);
    const { taskId } = created as { taskId: string };
    expect(wire.from("client")).toContainEqual(
      expect.objectContaining({
        result: expect.objectContaining({ action: "accept", _meta: { [RELATED_TASK]: { taskId } } }),
      }),
    );
  },
);

verifies(
  "tasks:bidirectional:declared",
  "a client with tasks declares which questions it runs as tasks, and a question to a client without them is an ordinary one",
  async ({ connect, wire }) => {
    const server = new McpServer(identity);
    server.tool("order", async (_args, context) => {
      const { tasks: declared } = context.clientCapabilities;
      const { content } = await context.elicit({ message: "Dish?", schema }, { task: true });
      return JSON.stringify({ declared, dish: content?.dish });
    });

    const client = await connect(server, { elicit, tasks });
    const declared = { list: {}, cancel: {}, requests: { elicitation: { create: {} } } };
    expect(await client.callTool("order")).toMatchObject(text(JSON.stringify({ declared, dish: "soup" })));
    const plain = await connect(server, { elicit });
    expect(await plain.callTool("order")).toMatchObject(text('{"dish":"soup"}'));
    const results = wire.from("server").filter((message) => "method" in message && message.method === "tasks/result");
    expect(results).toHaveLength(1);
  },
);

verifies(
  ["tasks:bidirectional:methods", "tasks:bidirectional:limits"],
  "a client lists, cancels and bounds the tasks of questions, with the same error codes as a server",
  async ({ connect }) => {
    const stopped = deferred<void>();
    const seen = deferred<unknown[]>();
    const server = new McpServer(identity);
    server.tool("ask", async (_args, context) => {
      const ask = () => context.request("elicitation/create", { ...form, task: { ttl: 60_000 } });
      const [one, two] = [await ask(), await ask()].map(({ task }) => (task as { taskId: string }).taskId);
      const failing = (request: Promise<unknown>) => request.catch(({ code }: { code: number }) => code);
      const { tasks: listed } = (await context.request("tasks/list")) as { tasks: { taskId: string }[] };
      const cancelled = await context.request("tasks/cancel", { taskId: one });
      seen.resolve([
        listed.map(({ taskId }) => taskId),
        [one, two],
        cancelled.status,
        await failing(context.request("tasks/cancel", { taskId: one })),
        await failing(context.request("tasks/result", { taskId: one })),
        await failing(context.request("tasks/get", { taskId: "0" })),
        await failing(ask()),
      ]);
      return "asked";
    });
    const form = {
      mode: "form",
      message: "Dish?",
      requestedSchema: { type: "object", properties: { dish: { type: "string" } } },
    };
    const waiting = vi.fn((_params: unknown, { signal }: { signal: AbortSignal | undefined }) => {
      signal?.addEventListener("abort", () => stopped.resolve());
      return new Promise<ReturnType<typeof elicit>>(() => undefined);
    });
    const client = await connect(server, { elicit: waiting, tasks: receiveTasks({ maxTasks: 2 }) });

    await client.callTool("ask");
    const [listed, ids, ...rest] = await seen.promise;
    expect(listed).toEqual(ids);
    expect(rest).toEqual(["cancelled", -32602, -32602, -32602, 429]);
    await stopped.promise;
  },
);

verifies(
  "tasks:bidirectional:undeclared",
  "a client refuses an undeclared question alike with and without the param task, and keeps no task",
  async ({ openServer }) => {
    const { peer } = await openServer({}, { elicit, tasks: receiveTasks() });
    const question = { messages: [{ role: "user", content: { type: "text", text: "Dish?" } }], maxTokens: 9 };

    const plain = await peer.request(1, "sampling/createMessage", question);
    const augmented = await peer.request(2, "sampling/createMessage", { ...question, task: {} });
    expect(plain).toMatchObject({ error: { code: -32600, message: "This client does not support sampling" } });
    expect(augmented.error).toEqual(plain.error);
    expect(await peer.request(3, "tasks/list", {})).toMatchObject({ result: { tasks: [] } });
  },
);

verifies(
  "tasks:bidirectional:call-cancelled",
  "an aborted call whose question runs as a task of the client aborts the handler of that question",
  async ({ connect, wire }) => {
    const stopped = deferred<void>();
    const server = new McpServer(identity);
    server.tool("order", async (_args, context) => {
      await context.elicit({ message: "Dish?", schema }, { task: true });
      return "ordered";
    });
    const waiting = (_params: unknown, { signal }: { signal: AbortSignal | undefined }) => {
      signal?.addEventListener("abort", () => stopped.resolve());
      return new Promise<ReturnType<typeof elicit>>(() => undefined);
    };
    const client = await connect(server, { elicit: waiting, tasks });
    const controller = new AbortController();

    const call = client.callTool("order", {}, { signal: controller.signal });
    await vi.waitFor(() => expect(wire.methods("server")).toContain("tasks/get"));
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await stopped.promise;
  },
);

verifies(
  "tasks:bidirectional:reported",
  "an exception of the client's handler inside a task reaches the client's onError as the cause",
  async ({ connect }) => {
    const reported = deferred<Error>();
    const server = new McpServer(identity);
    server.tool("order", async (_args, context) => {
      const asked = context.elicit({ message: "Dish?", schema }, { task: true });
      return asked.then(
        ({ action }) => action,
        ({ code }: { code: number }) => `failed with ${code}`,
      );
    });
    const failing = () => Promise.reject(new Error("no window"));
    const client = await connect(server, { elicit: failing, tasks, onError: reported.resolve });

    expect(await client.callTool("order")).toMatchObject(text("failed with -32603"));
    expect((await reported.promise).cause).toMatchObject({ message: "no window" });
  },
);
