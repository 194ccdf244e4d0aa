/**
 * No input within the limits keeps the event loop from turning for more than 200 ms. The process that is measured does
 * nothing else; time that it was not running does not count, and on a machine that is slow or busy the limit is as much
 * higher as reading a yardstick takes longer there. An input that took too long has a few more tries.
 */
import { expect } from "vitest";
import { COSTLIEST, heavyObjects, heavyTexts } from "../../src/figures/heavy-inputs.js";
import { MeasuredProgram } from "../../src/figures/measured-program.js";
import { enveloped, modernPost, type Post, post } from "../../src/http/http-posts.js";
import { verifies } from "../../src/verifies.js";

const MEBIBYTE = 1_048_576;
const MAX_STALL_MS = 200;
const TRIES = 6;
const SLOW = { deadlineMs: 180_000 };
const ASKED = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };

interface Measured {
  readonly longestMs: number;
  readonly slowness: number;
}

/** The first within the limit, or the shortest of a few tries, made less by what the machine was slower in all of them. */
async function stallOf(program: MeasuredProgram, act: () => Promise<unknown>): Promise<number> {
  let [shortest, slowness] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let left = TRIES; left > 0 && shortest > MAX_STALL_MS; left -= 1) {
    await program.ask({});
    await act();
    const measured = await program.ask<Measured>({});
    shortest = Math.min(shortest, measured.longestMs);
    slowness = Math.min(slowness, measured.slowness);
  }
  return shortest / slowness;
}

type Inputs = Iterable<readonly [name: string, post: Post]>;

/** What is `served` gets a result: an input that is refused at once would prove nothing. */
async function expectNoStall(program: MeasuredProgram, inputs: Inputs, served?: "served"): Promise<void> {
  const url = `http://127.0.0.1:${program.port}/mcp`;
  const stalls: Record<string, number> = {};
  for (const [name, request] of inputs) {
    const stall = await stallOf(program, async () => {
      const answer = await (await fetch(url, request)).text();
      if (served) expect(answer.slice(0, 50), name).toContain('"result":');
    });
    if (stall > MAX_STALL_MS) stalls[name] = stall;
  }
  expect(stalls).toEqual({});
}

/** Arguments given as JSON text, which what they are parsed into might not come back to. */
function called(tool: string, args: string): Post {
  const { headers, body, method } = modernPost("tools/call", enveloped({ name: tool, arguments: "HERE" }, ASKED));
  return { headers, body: body.replace('"HERE"', () => args), method };
}

const DEMANDING = ["echo", "ask", "unique", "contains", "tree", "deepest"];

verifies(
  "figures:stalls:arguments",
  "heavy arguments do not stall the event loop, whatever the schema, nor do states that are sealed for them",
  SLOW,
  async () => {
    await using program = await MeasuredProgram.start("stalled-server.js");
    const heavy = heavyObjects();
    const inputs = Object.entries(heavy).map(([name, args]) => [`any: ${name}`, called("any", args)] as const);
    const demanding = DEMANDING.flatMap((tool) =>
      COSTLIEST.map((name) => [`${tool}: ${name}`, called(tool, heavy[name])] as const),
    );
    await expectNoStall(program, [...inputs, ...demanding], "served");
  },
);

verifies(
  "figures:stalls:texts",
  "heavy texts do not stall the event loop, whatever pattern or format they are held against",
  SLOW,
  async () => {
    await using program = await MeasuredProgram.start("stalled-server.js");
    const listed = await fetch(`http://127.0.0.1:${program.port}/mcp`, modernPost("tools/list"));
    const tools = [...(await listed.text()).matchAll(/"name":"((?:pattern|format)-[^"]+)"/g)].map(
      ([, name]) => `${name}`,
    );
    expect(tools).toHaveLength(15);
    const texts = heavyTexts();
    await expectNoStall(
      program,
      tools.flatMap((tool) =>
        texts.map(
          (text) => [`${tool}: ${text.length} × ${text.slice(0, 3)}`, called(tool, `{"s":"${text}"}`)] as const,
        ),
      ),
      "served",
    );
  },
);

verifies(
  "figures:stalls:lines",
  "heavy lines of 10 MiB over standard input do not stall the event loop",
  SLOW,
  async () => {
    await using program = await MeasuredProgram.start("stalled-server.js");
    const heavy = heavyObjects(10 * MEBIBYTE);
    const stalls: Record<string, number> = {};
    for (const name of COSTLIEST) {
      const { body } = called("ask", heavy[name]);
      const stall = await stallOf(program, async () => {
        program.lines.send(`${body}\n`);
        expect(await program.lines.receive()).toMatchObject({ id: 1 });
      });
      if (stall > MAX_STALL_MS) stalls[name] = stall;
    }
    expect(stalls).toEqual({});
  },
);

function read(uri: string): readonly [string, Post] {
  return [uri.slice(0, 40), modernPost("resources/read", enveloped({ uri }))];
}

verifies(
  "figures:stalls:messages",
  "heavy params, broken JSON and heavy resources do not stall the event loop",
  SLOW,
  async () => {
    await using program = await MeasuredProgram.start("stalled-server.js");
    const heavy = heavyObjects();
    const message = (members: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}${members}}`;
    const inputs = COSTLIEST.flatMap((name): [string, Post][] => [
      [`broken off: ${name}`, post(heavy[name].slice(0, -1))],
      [`as _meta: ${name}`, post(message("").replace("{}", () => heavy[name]))],
      [`beside params: ${name}`, post(message(`,"more":${heavy[name]}`))],
    ]);
    const uris = ["t://", "u://", "w://"].flatMap((start) =>
      ["a/", "a", ".", "?q=", "%41", "a?q=1&r=", "a.", "&r=a"].map((unit) => start + unit.repeat(14_000 / unit.length)),
    );
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const text = "a".repeat(4_000_000);
    await expectNoStall(program, [
      ...inputs,
      ["a batch", post(`[${Array.from({ length: 20_000 }, () => ping).join(",")}]`)],
      ["a long method", post({ jsonrpc: "2.0", id: 1, method: text })],
      ["a long id", post({ jsonrpc: "2.0", id: text, method: "tools/list" })],
      ["a long cursor", modernPost("tools/list", enveloped({ cursor: text }))],
      ["a long state", modernPost("tools/call", enveloped({ name: "ask", requestState: text }))],
      ...uris.map(read),
      read("bytes://large"),
      read("text://large"),
    ]);
  },
);
