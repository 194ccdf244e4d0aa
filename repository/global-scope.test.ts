/**
 * Workers refuse timers, random values, network access and AbortControllers in global scope, where programs import modules
 * and create their server. The portable entries must use none of them there. A client is created per request.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { requireFreshBuild } from "./built-package.js";
import { runNode } from "./run-node.js";
import { repositoryRoot } from "./source-files.js";

beforeAll(requireFreshBuild);

/** Entries that a worker may import. Those of oauth ask `jose`, which makes its tables by itself. */
const PORTABLE = ["client", "server", "types", "web", "tasks", "skills", "testing"];

const imports = PORTABLE.map(
  (entry) =>
    `await import(${JSON.stringify(pathToFileURL(join(repositoryRoot, `packages/sdk/dist/${entry}/index.js`)))})`,
);

const program = `
const refuse = (name) => () => { throw new Error(name + " in global scope"); };
for (const name of ["setTimeout", "setInterval", "setImmediate", "fetch"]) globalThis[name] = refuse(name);
for (const name of ["getRandomValues", "randomUUID"]) crypto[name] = refuse(name);
for (const name of ["generateKey", "importKey", "digest"]) crypto.subtle[name] = refuse(name);
Math.random = refuse("Math.random");
globalThis.AbortController = class { constructor() { refuse("AbortController")(); } };
const [, { McpServer }, , { createFetchHandler }] = [${imports.join(", ")}];
const server = new McpServer({ name: "worker", version: "1.0.0" });
server.tool("greet", () => "hello");
createFetchHandler(server);
console.log("loaded");
`;

test("the portable entries load, and a server and its handler are made in the global scope of a worker", async () => {
  expect(await runNode(["--input-type=module", "--eval", program])).toBe("loaded\n");
});
