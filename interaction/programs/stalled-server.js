/** A server over HTTP and stdio whose schemas and answers invite heavy work, and which tells how long it stood still. */
import { serveHttp, serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { z } from "zod";
import { slowness, startMeter, takeLongestMs } from "./stall-meter.js";

const MEBIBYTE = 1_048_576;
const LIMIT_MS = 200;
const object = /** @type {const} */ ("object");
const server = new McpServer({ name: "stalled", version: "1.0.0", onError: () => undefined });

server.tool("any", { input: { type: object } }, () => "done");
server.tool("echo", { input: { type: object }, output: { type: object } }, (input) => input);
server.tool("ask", { input: { type: object } }, async (_input, context) => {
  await context.elicit({ message: "Which?", schema: z.object({ a: z.string() }) });
  return "done";
});

/** @param {string} name @param {object} schema for the argument `s` */
function demand(name, schema) {
  server.tool(name, { input: { type: object, properties: { s: schema } } }, () => "done");
}

demand("unique", { type: "array", uniqueItems: true });
demand("contains", { type: "array", contains: { const: { a: 1 } } });
const patterns = ["^(a+)+$", "^(a|a)*$", "(a*)*b", "a*a*a*a*b", "^(?:a?){50}a{50}$", "(?:(?=.*b)a)*c", "^(\\p{L}+)+$"];
for (const [index, pattern] of patterns.entries()) demand(`pattern-${index}`, { type: "string", pattern });
for (const format of ["date-time", "email", "uri", "hostname", "ipv6", "json-pointer", "regex", "duration"]) {
  demand(`format-${format}`, { type: "string", format });
}

const tree = { type: "array", items: { $ref: "#/$defs/tree" } };
const trees = { anyOf: [tree, { ...tree, minItems: 3 }, { type: "string" }] };
server.tool("tree", { input: { type: object, $defs: { tree: trees }, properties: { s: trees } } }, () => "done");

/** Sixty-four levels, the last of them as wide as ten thousand subschemas allow. */
const wide = { properties: Object.fromEntries(Array.from({ length: 9_900 }, (_, n) => [`k${n}`, { minLength: 1 }])) };
demand(
  "deepest",
  Array.from({ length: 60 }).reduce((/** @type {object} */ inner) => ({ allOf: [inner] }), wide),
);

server.resource("bytes://large", { name: "large" }, () => new Uint8Array(4 * MEBIBYTE));
server.resource("text://large", { name: "large" }, () => "x".repeat(4 * MEBIBYTE));
for (const template of ["t://{a}/{+b}", "u://{a}{?q,r*}", "w://{a}.{b}.{c}.{d}"]) {
  server.resourceTemplate(template, { name: template }, () => "found");
}

const { port } = await serveHttp(server, { shutdownGraceMs: 0 });
await serveStdio(server, { exit: false });
process.on("message", () => {
  const longestMs = takeLongestMs();
  // The yardstick takes as long as an input does, so it is used where it decides something.
  const answer = { longestMs, slowness: longestMs > LIMIT_MS ? slowness() : 1 };
  // Turns later, when using it counts no more.
  setImmediate(setImmediate, () => {
    takeLongestMs();
    process.send?.(answer);
  });
});
process.on("disconnect", () => process.exit());
startMeter();
process.send?.({ port });
