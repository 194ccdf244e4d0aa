import fc from "fast-check";
import { McpServer, type ServerContext } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import type { Conversation } from "../../src/conversation.js";
import { verifies } from "../../src/verifies.js";

/** What a made-up handler does. */
type Step =
  | { readonly do: "elicit" | "sample" | "once" | "pause"; readonly n: number }
  | { readonly do: "parallel" | "sequence"; readonly steps: readonly Step[] };

const { script } = fc.letrec<{ step: Step; script: Step }>((tie) => ({
  step: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ do: fc.constantFrom("elicit", "sample", "once", "pause"), n: fc.nat(99) }),
    tie("script"),
  ),
  script: fc.record({
    do: fc.constantFrom("parallel", "sequence"),
    steps: fc.array(tie("step"), { minLength: 1, maxLength: 4 }),
  }),
}));

/** Runs a step. Its place in the script is its name; `history` makes later questions depend on earlier answers. */
async function run(
  step: Step,
  place: string,
  history: string,
  context: ServerContext,
  effects: string[],
): Promise<string> {
  switch (step.do) {
    case "elicit": {
      const schema = z.object({ text: z.string() });
      const { content } = await context.elicit({ message: `${place} ${step.n} ${history}`, schema }, { key: place });
      return `${content?.text}`;
    }
    case "sample": {
      const text = `${place} ${step.n} ${history}`;
      const messages = [{ role: "user" as const, content: { type: "text" as const, text } }];
      const { content } = await context.sample({ messages, maxTokens: 10 }, { key: place });
      return !Array.isArray(content) && content.type === "text" ? content.text : "?";
    }
    case "once":
      return context.once(place, async () => {
        if (step.n % 2) await nextTurn();
        effects.push(`${place} ${history}`);
        return `did ${step.n}`;
      });
    case "pause":
      for (let turn = 0; turn < step.n % 4; turn += 1) await nextTurn();
      return "";
    case "parallel":
      return join(
        await Promise.all(step.steps.map((each, at) => run(each, `${place}.${at}`, history, context, effects))),
      );
    case "sequence": {
      const results: string[] = [];
      for (const [at, each] of step.steps.entries()) {
        results.push(await run(each, `${place}.${at}`, short(`${history}${results.join()}`), context, effects));
      }
      return join(results);
    }
  }
}

/** Lets whatever else there is go first: parts of a handler then outlive the run that a question has ended. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const join = (results: readonly string[]) => short(`(${results.join(" ")})`);

/** Nested answers would double in length with every step. */
const short = (text: string) => (text.length > 60 ? `${text.slice(0, 50)}…${text.length}` : text);

/** The result of a made-up handler, everything that it asked, and what it did. */
async function play(step: Step, connect: Conversation["connect"]) {
  const effects: string[] = [];
  const asked: string[] = [];
  const answer = (question: string) => {
    asked.push(question);
    return short(`re ${question}`);
  };
  const server = new McpServer({ name: "made-up", version: "1.0.0" });
  server.tool("run", {}, (_args, context) => run(step, "0", "", context, effects));
  const client = await connect(server, {
    maxInputRounds: 1_000,
    elicit: ({ message }) => ({ action: "accept", content: { text: answer(message) } }),
    sample: ({ messages: [message] }) => {
      const content = message?.content;
      const question = content && !Array.isArray(content) && content.type === "text" ? content.text : "?";
      return { role: "assistant", model: "m", content: { type: "text", text: answer(question) } };
    },
  });
  const { content } = await client.callTool("run");
  await client.close();
  return { content, asked: asked.sort(), effects: effects.sort() };
}

verifies(
  "asking:replay",
  "random handlers of questions, side effects, sequences and parallel parts do the same as in a legacy conversation",
  { deadlineMs: 20_000 },
  async ({ connect, revision }) => {
    const asLegacy: Conversation["connect"] = (server, options) =>
      connect(server, { ...options, revisions: ["2025-11-25"] });
    await fc.assert(
      fc.asyncProperty(script, async (step) => {
        const [expected, actual] = [await play(step, asLegacy), await play(step, connect)];

        expect(actual).toEqual(expected);
        expect(new Set(actual.effects).size, "each side effect once").toBe(actual.effects.length);
        expect(new Set(actual.asked).size, "each question once").toBe(actual.asked.length);
      }),
      { numRuns: revision === "2026-07-28" ? 100 : 10 },
    );
  },
);
