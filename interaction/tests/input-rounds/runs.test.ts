import { McpServer, type ServerContext } from "parley-mcp/server";
import type { JsonObject } from "parley-mcp/types";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const TEXT = z.object({ text: z.string() });
const accept = (text: string) => ({ action: "accept", content: { text } }) as const;

async function ask(context: ServerContext, message: string): Promise<string> {
  const { content } = await context.elicit({ message, schema: TEXT });
  return content?.text ?? "";
}

verifies(
  "asking:once",
  "the effect runs once in three rounds and in parallel, and its value is the same everywhere, even if there is none",
  async ({ connect }) => {
    const effects: string[] = [];
    const values: unknown[] = [];
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("order", {}, async (_args, context) => {
      const place = () => context.once("order", () => ({ number: effects.push("ordered") }));
      values.push(...(await Promise.all([place(), place()])));
      await context.once("mail", async () => void effects.push("mailed"));
      await ask(context, "Gift?");
      await ask(context, "Card?");
      return JSON.stringify(await place());
    });
    const client = await connect(server, { elicit: () => accept("no") });

    expect(await client.callTool("order")).toMatchObject({ content: [{ text: '{"number":1}' }] });
    expect(effects).toEqual(["ordered", "mailed"]);
    for (const value of values) expect(value).toEqual({ number: 1 });

    expect(await client.callTool("order")).toMatchObject({ content: [{ text: '{"number":3}' }] });
  },
);

verifies(
  "asking:once:finished-before-suspending",
  "a slow effect beside a question ends first, and its value is there in the next round",
  async ({ connect }) => {
    let effects = 0;
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("order", {}, async (_args, context) => {
      const [number, text] = await Promise.all([
        context.once("order", async () => {
          effects += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return effects;
        }),
        ask(context, "Gift?"),
      ]);
      return `${number} ${text}`;
    });
    const client = await connect(server, { elicit: () => accept("no") });

    expect(await client.callTool("order")).toMatchObject({ content: [{ text: "1 no" }] });
    expect(effects).toBe(1);
  },
);

verifies(
  "asking:once:failure",
  "an effect of once that threw is tried again where the handler asks for it, and one that worked is not",
  async ({ connect }) => {
    let attempts = 0;
    const server = new McpServer({ name: "shop", version: "1.0.0" });
    server.tool("order", {}, async (_args, context) => {
      const pay = () =>
        context.once("pay", () => {
          attempts += 1;
          if (attempts === 1) throw new Error("card reader busy");
          return `paid at attempt ${attempts}`;
        });
      const first = await pay().catch((error: Error) => error.message);
      const again = await pay();
      await ask(context, "Receipt?");
      return JSON.stringify([first, again, await pay()]);
    });
    const client = await connect(server, { elicit: () => accept("no") });

    const { content } = await client.callTool("order");

    const [, again, last] = JSON.parse((content[0] as { text: string }).text) as string[];
    expect([again, last]).toEqual(["paid at attempt 2", "paid at attempt 2"]);
    expect(attempts).toBe(2);
  },
);

verifies(
  "mrtr:replay:caught",
  "returning, throwing and a Promise.allSettled after the question all end as input_required",
  async ({ connect }) => {
    const server = new McpServer({ name: "catcher", version: "1.0.0" });
    server.tool("returns", {}, async (_args, context) => {
      try {
        return await ask(context, "?");
      } catch {
        return "gave up";
      }
    });
    server.tool("throws", {}, async (_args, context) => {
      try {
        return await ask(context, "?");
      } catch (cause) {
        throw new Error("wrapped", { cause });
      }
    });
    server.tool("settles", {}, async (_args, context) => {
      const [outcome] = await Promise.allSettled([ask(context, "?")]);
      return outcome?.status === "fulfilled" ? outcome.value : "gave up";
    });
    server.tool("forgets", {}, async (_args, context) => {
      void context.elicit({ message: "?", schema: TEXT });
      return "did not wait";
    });
    const client = await connect(server, { elicit: () => accept("Ada") });

    for (const name of ["returns", "throws", "settles", "forgets"]) {
      const first = await client.request("tools/call", { name });
      expect(first, name).toMatchObject({ resultType: "input_required" });
      expect(Object.keys(first.inputRequests as JsonObject)).toHaveLength(1);
      const text = name === "forgets" ? "did not wait" : "Ada";
      expect(await client.callTool(name)).toMatchObject({ content: [{ text }] });
    }
  },
);

verifies(
  "mrtr:replay:changed-question",
  "another message or form under the same name is refused; one that is only new is asked",
  async ({ connect }) => {
    const reported: Error[] = [];
    let run = 0;
    const server = new McpServer({ name: "moody", version: "1.0.0", onError: (error) => reported.push(error) });
    server.tool("message", {}, async (_args, context) => ask(context, `Run ${++run}?`));
    server.tool("form", {}, async (_args, context) => {
      const schema = z.object({ text: z.string().max(++run) });
      return JSON.stringify(await context.elicit({ message: "?", schema }, { key: "limits" }));
    });
    server.tool("caught", {}, async (_args, context) => ask(context, `Run ${++run}?`).catch(() => "caught"));
    server.tool("new", {}, async (_args, context) => {
      const first = ++run === 1 ? "" : await ask(context, "Second?");
      const { content } = await context.elicit({ message: "First?", schema: TEXT }, { key: "first" });
      return `${first}${content?.text}`;
    });
    const client = await connect(server, { elicit: () => accept("A") });

    for (const [name, question] of [
      ["message", "elicitation/create#1"],
      ["form", "limits"],
      ["caught", "elicitation/create#1"],
    ] as const) {
      run = 0;
      expect(await client.callTool(name), name).toMatchObject({ isError: true });
      const cause = { code: "questions-changed", message: expect.stringContaining(`"${question}"`) };
      expect(reported.splice(0)).toMatchObject([{ code: "handler-failed", cause }]);
    }
    run = 0;
    expect(await client.callTool("new")).toMatchObject({ content: [{ text: "AA" }] });
  },
);
