import { McpServer, type ServerContext } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

const TEXT = z.object({ text: z.string() });
const accept = (text: string) => ({ action: "accept", content: { text } }) as const;

async function ask(context: ServerContext, message: string): Promise<string> {
  const { content } = await context.elicit({ message, schema: TEXT });
  return content?.text ?? "";
}

verifies(
  "asking:legacy-requests",
  "a legacy question goes out before its call is answered, and the handler runs once",
  async ({ connect, wire }) => {
    let runs = 0;
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      runs += 1;
      return ask(context, "?");
    });
    const client = await connect(server, { elicit: () => accept("Ada") });

    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "Ada" }] });

    expect(runs).toBe(1);
    expect(wire.methods("server")).toEqual(["elicitation/create"]);
    const kinds = wire.from("server").map((sent) => ("method" in sent ? sent.method : "answer"));
    expect(kinds.slice(-2)).toEqual(["elicitation/create", "answer"]);
    expect(JSON.stringify(wire.from("server"))).not.toContain("resultType");
  },
);

verifies(
  "asking:parallel",
  "two questions of a handler are open at the same time, and each answer reaches its own",
  async ({ connect, era, wire }) => {
    const bothOpen = deferred();
    const open = new Set<string>();
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const [one, two] = await Promise.all([ask(context, "one"), ask(context, "two")]);
      return `${one}, ${two}`;
    });
    const client = await connect(server, {
      elicit: async ({ message }) => {
        open.add(message);
        if (open.size === 2) bothOpen.resolve();
        await bothOpen.promise;
        return accept(`${message}!`);
      },
    });

    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "one!, two!" }] });

    const rounds = wire.methods("client").filter((method) => method === "tools/call");
    expect(rounds).toHaveLength(era === "modern" ? 2 : 1);
  },
);

verifies(
  "asking:sequential",
  "three questions in sequence each see the answers before them, and are asked once",
  async ({ connect, era, wire }) => {
    const asked: string[] = [];
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      let path = "";
      for (const step of ["a", "b", "c"]) path += await ask(context, `${path}/${step}`);
      return path;
    });
    const client = await connect(server, {
      elicit: ({ message }) => {
        asked.push(message);
        return accept(`${asked.length}`);
      },
    });

    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "123" }] });

    expect(asked).toEqual(["/a", "1/b", "12/c"]);
    const rounds = wire.methods("client").filter((method) => method === "tools/call");
    expect(rounds).toHaveLength(era === "modern" ? 4 : 1);
  },
);

verifies(
  "asking:kinds-together",
  "a form, a sampling request and a request for roots are answered in one round",
  async ({ connect, era, wire }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    const messages = [{ role: "user", content: { type: "text", text: "Capital of France?" } }] as const;
    server.tool("ask", {}, async (_args, context) => {
      const [form, model, roots] = await Promise.all([
        ask(context, "?"),
        context.sample({ messages: [...messages], maxTokens: 10 }),
        context.listRoots(),
      ]);
      return JSON.stringify([form, model.content, roots]);
    });
    const root = { uri: "file:///srv/ada", name: "home" };
    const paris = { type: "text", text: "Paris" } as const;
    const client = await connect(server, {
      elicit: () => accept("Ada"),
      sample: () => ({ role: "assistant", model: "m", content: paris }),
      listRoots: () => [root],
    });

    expect(await client.callTool("ask")).toMatchObject({
      content: [{ text: JSON.stringify(["Ada", paris, [root]]) }],
    });
    const rounds = wire.methods("client").filter((method) => method === "tools/call");
    expect(rounds).toHaveLength(era === "modern" ? 2 : 1);
  },
);

verifies(
  "asking:concurrent-calls",
  "ten calls of two clients are answered in reverse order, each with its own",
  async ({ connect }) => {
    const server = new McpServer({ name: "curious", version: "1.0.0" });
    server.tool("ask", { input: z.object({ n: z.number() }) }, async ({ n }, context) => {
      const first = await ask(context, `first ${n}`);
      return `${first}, ${await ask(context, `second ${n}`)}`;
    });
    const dialogs: (() => void)[] = [];
    const connectAs = (who: string) =>
      connect(server, {
        elicit: async ({ message }) => {
          const dialog = deferred();
          dialogs.push(() => dialog.resolve());
          if (dialogs.length === 10) for (const answer of dialogs.splice(0).reverse()) answer();
          await dialog.promise;
          return accept(`${who} ${message}`);
        },
      });
    const clients = [await connectAs("Ada"), await connectAs("Grace")];
    const calls = clients.flatMap((client) => [0, 1, 2, 3, 4].map((n) => client.callTool("ask", { n })));

    const texts = (await Promise.all(calls)).map(({ content }) => (content[0] as { text: string }).text);

    const expected = ["Ada", "Grace"].flatMap((who) =>
      [0, 1, 2, 3, 4].map((n) => `${who} first ${n}, ${who} second ${n}`),
    );
    expect(texts).toEqual(expected);
  },
);

verifies(
  "asking:finally",
  "finally blocks run for every run of a handler, and before the client hears of the run's end",
  async ({ connect, era }) => {
    const events: string[] = [];
    const server = new McpServer({ name: "tidy", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      events.push("open");
      try {
        return await ask(context, "?");
      } finally {
        events.push("close");
      }
    });
    const client = await connect(server, {
      elicit: () => {
        events.push("asked");
        return accept("Ada");
      },
    });

    await client.callTool("ask");

    const rounds = { legacy: ["open", "asked", "close"], modern: ["open", "close", "asked", "open", "close"] };
    expect(events).toEqual(rounds[era]);
  },
);

verifies(
  "asking:question-timeout",
  "a question that nobody answers ends with its own timeout or signal, and the client's handler is aborted",
  async ({ connect, wire }) => {
    const schema = { type: "object" };
    const gaveUp = new AbortController();
    const failures: unknown[] = [];
    const server = new McpServer({ name: "patient", version: "1.0.0" });
    server.tool("ask", {}, async (_args, context) => {
      const keep = (error: unknown) => void failures.push(error);
      await context.elicit({ message: "Late?", schema }, { timeoutMs: 20 }).catch(keep);
      const second = context.elicit({ message: "Still?", schema }, { signal: gaveUp.signal }).catch(keep);
      await second;
      return "went on";
    });
    const aborted: unknown[] = [];
    const client = await connect(server, {
      elicit: ({ message }, { signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener("abort", () => {
            aborted.push(message);
            resolve({ action: "cancel" });
          });
          if (message === "Still?") gaveUp.abort();
        }),
    });

    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "went on" }] });

    expect(failures).toMatchObject([{ code: "request-timeout" }, { code: "request-aborted" }]);
    await expect.poll(() => aborted).toEqual(["Late?", "Still?"]);
    expect(wire.methods("server").filter((method) => method === "notifications/cancelled")).toHaveLength(2);
  },
);

verifies(
  "asking:aborted-question",
  "a question whose signal has aborted rejects in the handler, which goes on, and the client hears nothing",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "hasty", version: "1.0.0" });
    const signal = AbortSignal.abort();
    server.tool("ask", {}, async (_args, context) => {
      const asked = [
        context.elicit({ message: "?", schema: { type: "object" } }, { signal }),
        context.sample({ messages: [], maxTokens: 1 }, { signal }),
        context.listRoots({ signal }),
      ];
      for (const question of asked) await expect(question).rejects.toMatchObject({ code: "request-aborted" });
      return "went on";
    });
    const mustNotRun = () => {
      throw new Error("must not run");
    };
    const client = await connect(server, { elicit: mustNotRun, sample: mustNotRun, listRoots: mustNotRun });

    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "went on" }] });

    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "asking:options:last-argument",
  "an option inside the question is refused by name, and the same option after it is taken",
  async ({ connect }) => {
    const complaints: unknown[] = [];
    const server = new McpServer({ name: "misplacing", version: "1.0.0" });
    server.tool("ask", async (_args, context) => {
      const schema = z.object({});
      for (const misplaced of [{ key: "a" }, { timeoutMs: 5 }, { signal: context.signal }]) {
        await context.elicit({ message: "?", schema, ...misplaced }).catch((error) => complaints.push(error.message));
      }
      return (await context.elicit({ message: "?", schema }, { key: "a", timeoutMs: 60_000 })).action;
    });
    const client = await connect(server, { elicit: () => ({ action: "decline" }) });

    expect((await client.callTool("ask")).content).toEqual([{ type: "text", text: "decline" }]);
    expect(complaints.slice(0, 3)).toEqual(
      ["key", "timeoutMs", "signal"].map(
        (name) => `elicit: "${name}" is an option; write elicit({ message, schema }, { ${name} })`,
      ),
    );
  },
);
