/** Tools: listed, called, refused, in pages and in parallel. */
import { type Check, expect, expectEqual, expectText, refusalOf } from "./trial.js";

/** Characters that break naive framing and encoding. */
const AWKWARD = 'hé\u2028 \u{1f600} "quoted"\n';
const MAX_PAGES = 50;

export const connects: Check = async ({ client, revision, tap }) => {
  expectEqual(client.revision ?? revision, revision, "the revision agreed on");
  expect(
    tap.entries().some(({ from, text }) => from === "server" && text.includes(revision)),
    `the server never said ${revision}`,
  );
};

export const tools: Check = async ({ client, exhibit: { echo, plain } }) => {
  const { names } = await client.listTools();
  expect(names.length > 0, "no tools are listed");
  if (plain) return expectText(await client.callTool(plain.tool, plain.args), plain.text);
  expectText(await client.callTool(echo.tool, { [echo.argument]: AWKWARD }), echo.prefix + AWKWARD);
};

export const structuredOutput: Check = async ({ client, exhibit: { structured } }) => {
  const { structured: value } = await client.callTool(structured.tool, structured.args);
  expectEqual(value, structured.value, "structured content");
};

export const toolError: Check = async ({ client, exhibit: { failing } }) => {
  const { isError, text } = await client.callTool(failing.tool, failing.args);
  expect(isError, `expected a failed tool, got "${text}"`);
  expect(text.includes(failing.text), `expected "${failing.text}", got "${text}"`);
};

/** Revisions differ in whether this is a failed tool or a refused call. */
export const invalidArguments: Check = async ({ client, exhibit: { echo } }) => {
  const refusal = await refusalOf(client.callTool(echo.tool, { [echo.argument]: 7 }).then(({ isError }) => isError));
  const isRefused = refusal === -32602 || JSON.stringify(refusal) === JSON.stringify({ answered: true });
  expect(isRefused, `expected a failed tool or -32602, got ${JSON.stringify(refusal)}`);
};

/** The pages ask for a JSON-RPC error and show one with -32602; -32601 is one as well. */
export const unknownTool: Check = async ({ client }) => {
  const refusal = await refusalOf(client.callTool("no-such-tool", {}));
  expect(refusal === -32602 || refusal === -32601, `expected a JSON-RPC error, got ${JSON.stringify(refusal)}`);
};

export const parallelCalls: Check = async ({ client, exhibit: { echo, plain } }) => {
  if (plain) {
    const alike = await Promise.all(Array.from({ length: 5 }, () => client.callTool(plain.tool, plain.args)));
    for (const answer of alike) expectText(answer, plain.text);
    return;
  }
  const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`);
  const answers = await Promise.all(texts.map((text) => client.callTool(echo.tool, { [echo.argument]: text })));
  expectEqual(
    answers.map(({ text }) => text),
    texts.map((text) => echo.prefix + text),
    "answers in order",
  );
};

/** Some clients fetch all pages by themselves, so only the wire tells that there were several. */
export const pagination: Check = async ({ client, exhibit: { echo, structured }, tap }) => {
  const seen = tap.entries().length;
  const names: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.listTools(cursor);
    names.push(...page.names);
    cursor = page.nextCursor;
    pages += 1;
  } while (cursor !== undefined && pages < MAX_PAGES);
  const answers = tap.entries().slice(seen);
  expect(
    answers.some(({ from, text }) => from === "server" && text.includes('"nextCursor"')),
    "there was only one page",
  );
  expectEqual(names.length, new Set(names).size, "tools listed once each");
  for (const wanted of [echo.tool, structured.tool]) expect(names.includes(wanted), `${wanted} is on no page`);
};
