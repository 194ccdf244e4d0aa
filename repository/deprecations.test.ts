/** Everything deprecated is marked, names its SEP and its earliest removal, and stands on docs/deprecations.md. */
import { beforeAll, describe, expect, test } from "vitest";
import { requireFreshBuild } from "./built-package.js";
import { deprecatedMembers, tableBelow } from "./deprecations.js";
import { runNode } from "./run-node.js";
import { isTestFile, readSource, readTypeScript } from "./source-files.js";

const page = readSource("docs/deprecations.md");
const marked = readTypeScript("packages/sdk/src")
  .filter(({ path }) => !isTestFile(path))
  .flatMap(deprecatedMembers);
const features = tableBelow(page, "# Deprecated features");
const members = tableBelow(page, "## Members").flatMap(([feature = "", cell = ""]) => {
  const [, , sep = ""] = features.find(([name]) => name === feature) ?? [];
  return [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => ({ name, sep }));
});

describe("what is deprecated", () => {
  test("is marked in the sources and listed on the page, member by member", () => {
    expect(marked.map(({ name }) => name).sort()).toEqual(members.map(({ name }) => name).sort());
  });

  test.each(members)("$name names $sep and the earliest removal", ({ name, sep }) => {
    const notice = marked.find((member) => member.name === name)?.notice;
    expect(sep).toMatch(/^SEP-\d+$/);
    expect(notice).toContain(`(${sep})`);
    expect(notice).toContain("Earliest removal:");
  });

  test("has a warning of its own for each feature, with the words of the page", () => {
    const { text } = readSource("packages/sdk/src/protocol/deprecations.ts");
    const codes = [...text.matchAll(/^ {2}([A-Z_]+): \{$/gm)].map(([, code]) => `\`PARLEY_DEP_${code}\``);
    expect(features.map((row) => row.at(-1))).toEqual(codes);
  });
});

const PROGRAM = `
  import { Client } from "parley-mcp/client";
  import { serveHttp } from "parley-mcp/node";
  import { McpServer } from "parley-mcp/server";

  const codes = [];
  process.on("warning", (warning) => codes.push(warning.code));
  const server = new McpServer({ name: "old", version: "1.0.0", capabilities: { logging: {} } });
  server.tool("old", {}, async (_args, context) => {
    context.log.info("hello");
    await context.listRoots();
    const messages = [{ role: "user", content: { type: "text", text: "hello" } }];
    await context.sample({ messages, maxTokens: 1, includeContext: "thisServer" });
    return "done";
  });
  const sample = () => ({ role: "assistant", model: "none", content: { type: "text", text: "hello" } });
  const capabilities = { sampling: { context: {} } };
  const options = { name: "c", version: "1.0.0", revision: "2025-11-25", capabilities, sample, listRoots: () => [] };
  const host = await serveHttp(server, { legacy: { sse: true } });
  for (let count = 0; count < 2; count += 1) {
    const client = await Client.connect(host.url, options);
    await client.setLogLevel("debug");
    const { content } = await client.callTool("old");
    console.log(content[0].text);
    await client.close();
  }
  await host.close();
  setImmediate(() => console.log(codes.sort().join(" ")));
`;
const runProgram = (...flags: string[]) => runNode([...flags, "--input-type=module", "--eval", PROGRAM]);

describe("using what is deprecated", () => {
  beforeAll(requireFreshBuild);

  test("warns once for each feature, however often it is used", async () => {
    const codes = features.map((row) => row.at(-1)?.replaceAll("`", "")).sort();
    expect(await runProgram()).toBe(`done\ndone\n${codes.join(" ")}\n`);
  });

  test("warns of nothing that Node was told to leave out", async () => {
    expect(await runProgram("--no-deprecation")).toBe("done\ndone\n\n");
    expect(await runProgram("--disable-warning=PARLEY_DEP_LOGGING")).toContain("PARLEY_DEP_ROOTS");
  });
});

describe("reading marks", () => {
  test("a member is named with its type, through accessors and modifiers", () => {
    const text = [
      "export interface Options {",
      "  /** @deprecated since then. */",
      "  readonly old?: string;",
      "}",
      "/**",
      " * A thing.",
      " * @deprecated since",
      " * then.",
      " * @throws never",
      " */",
      "export type Thing = string;",
      "export class Room { /** @deprecated gone */ get door(): string { return ''; } }",
    ].join("\n");
    expect(deprecatedMembers({ path: "a.ts", text })).toEqual([
      { name: "Options.old", notice: "since then." },
      { name: "Thing", notice: "since then." },
      { name: "Room.door", notice: "gone" },
    ]);
  });
});
