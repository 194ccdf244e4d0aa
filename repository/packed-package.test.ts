/** The package as somebody gets it who installs it: its page, its root entry, and its types in strict projects. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { publishedEntries, readManifest } from "./package-manifest.js";
import { type PackedProject, unpackInto } from "./packed-package.js";
import { readSource, repositoryRoot } from "./source-files.js";

const manifest = readManifest("packages/sdk");
const entries = publishedEntries(manifest);
const readme = readSource("packages/sdk/README.md").text;

/** Everything that a web page or a worker may import. */
const portable = [
  "parley-mcp",
  "parley-mcp/client",
  "parley-mcp/server",
  "parley-mcp/types",
  "parley-mcp/web",
  "parley-mcp/testing",
];

describe("the tarball", () => {
  let project: PackedProject;
  beforeAll(() => {
    project = unpackInto("packed");
  });

  test("has a page, a license and every file that its exports name", () => {
    const named = JSON.stringify(manifest.exports).match(/(?<=\.\/)dist\/[^"]+/g) ?? [];
    expect(project.files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "package.json", ...named]));
  });

  test("holds nothing but the page, the license, the manifest and what was built", () => {
    const others = project.files.filter((path) => !path.startsWith("dist/"));
    expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
  });

  test("loads by its bare name, which gives the classes of the entries", () => {
    const program = `
      import { Client, McpServer, ProtocolError, SdkError, ToolError } from "parley-mcp";
      import * as client from "parley-mcp/client";
      import * as server from "parley-mcp/server";
      console.log(McpServer === server.McpServer, ToolError === server.ToolError, Client === client.Client);
      console.log(ProtocolError === client.ProtocolError, SdkError === server.SdkError);
    `;
    expect(run(project, program)).toBe("true true true\ntrue true\n");
  });
});

describe("its page", () => {
  test.each(["packages/sdk/README.md", "README.md"])("%s lists every entry", (path) => {
    const { text } = readSource(path);
    expect(entries.filter((entry) => !text.includes(`| \`${entry}\` |`))).toEqual([]);
  });

  test("says how to install it", () => {
    expect(readme).toContain("npm install parley-mcp");
  });

  test("links to documents that exist, at the home page of the package", () => {
    const home = `${manifest.homepage}/`;
    const links = [...readme.matchAll(/\]\((\S+?)\)/g)].map(([, link = ""]) => link);
    const documents = links.filter((link) => link.endsWith(".md"));
    expect(documents.length).toBeGreaterThan(5);
    expect(documents.filter((link) => !link.startsWith(home))).toEqual([]);
    expect(documents.filter((link) => !existsSync(join(repositoryRoot, link.slice(home.length))))).toEqual([]);
  });

  test("belongs to a package that says where its sources are", () => {
    expect(manifest.repository).toEqual({ type: "git", url: expect.any(String), directory: "packages/sdk" });
    expect(manifest.repository?.url.startsWith(`git+${manifest.homepage}/`)).toBe(true);
  });
});

describe.each(["packages/sdk", "packages/redis", "packages/bullmq", "packages/conformance"])("%s", (folder) => {
  test("has the license of the repository, which npm packs", () => {
    const license = readFileSync(join(repositoryRoot, folder, "LICENSE"), "utf8");
    expect(license).toBe(readFileSync(join(repositoryRoot, "LICENSE"), "utf8"));
  });

  test("runs on the Node versions that the page names", () => {
    const { engines } = readManifest(folder);
    expect(engines).toEqual(readManifest("").engines);
    expect(readSource("README.md").text).toContain(`Node ${engines?.node.replace(">=", "")} or newer`);
  });
});

describe("its types, with every library checked", () => {
  test.each([
    { name: "a web page", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [], imported: portable },
    { name: "an older web page", lib: ["ES2020", "DOM"], types: [], imported: portable },
    { name: "a program for Node", lib: ["ES2022"], types: ["node"], imported: entries },
  ])("compile in $name", ({ name, lib, types, imported }) => {
    const lines = imported.map((entry, index) => `import * as entry${index} from "${entry}";\nvoid entry${index};`);
    const config = {
      compilerOptions: {
        target: "ES2022",
        module: "NodeNext",
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        lib,
        types,
      },
      include: ["main.ts"],
    };
    const { folder } = unpackInto(`consumer-${name.replaceAll(" ", "-")}`, {
      "main.ts": `${lines.join("\n")}\n`,
      "tsconfig.json": JSON.stringify(config),
    });
    const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { cwd: folder, encoding: "utf8" });
    expect(stdout).toBe("");
  });
});

function run({ folder }: PackedProject, program: string): string {
  return execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: folder,
    encoding: "utf8",
    timeout: 30_000,
  });
}
