/** Servers that others publish and people use, as they come. Each shows a few features. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Exhibit, exhibit as ourExhibit, type ToolCase } from "../exhibit.js";
import { type Feature, lackAllBut } from "../features.js";
import { scriptOf } from "../programs.js";
import type { ServerPeer } from "../server-peer.js";
import { runBy } from "./program.js";

const BROWSER = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const FILE = "hello.txt";
const ALWAYS: readonly Feature[] = [
  "connect",
  "tools",
  "invalid arguments",
  "unknown tool",
  "parallel calls",
  "closing",
];

interface Published {
  readonly name: string;
  readonly packageName: string;
  readonly offers: readonly Feature[];
  /** A call whose answer is known; `%` stands for a folder that holds one file. */
  readonly plain: ToolCase;
  /** A tool, and an argument of it that is a string. */
  readonly typed: readonly [tool: string, argument: string];
  readonly structured?: ToolCase & { readonly value: unknown };
  readonly failing?: ToolCase;
  readonly args?: readonly string[];
}

const published: readonly Published[] = [
  {
    name: "filesystem",
    packageName: "@modelcontextprotocol/server-filesystem",
    offers: ["structured output", "tool error", "ping"],
    args: ["%"],
    plain: { tool: "list_directory", args: { path: "%" }, text: FILE },
    typed: ["read_text_file", "path"],
    structured: {
      tool: "read_text_file",
      args: { path: `%/${FILE}` },
      text: "hello",
      value: { content: "hello" },
    },
    failing: { tool: "read_text_file", args: { path: "%/missing.txt" }, text: "ENOENT" },
  },
  {
    name: "memory",
    packageName: "@modelcontextprotocol/server-memory",
    offers: ["structured output", "ping"],
    plain: { tool: "read_graph", args: {}, text: "entities" },
    typed: ["search_nodes", "query"],
    structured: { tool: "read_graph", args: {}, text: "", value: { entities: [], relations: [] } },
  },
  {
    name: "git",
    packageName: "@cyanheads/git-mcp-server",
    offers: ["tool error", "ping"],
    plain: { tool: "git_status", args: { path: "%" }, text: FILE },
    typed: ["git_status", "path"],
    failing: { tool: "git_show", args: { path: "%", object: "no-such-commit" }, text: "no-such-commit" },
  },
  {
    name: "Playwright",
    packageName: "@playwright/mcp",
    offers: ["ping"],
    args: ["--headless", "--isolated", "--no-sandbox", "--executable-path", BROWSER, "--output-dir", "%"],
    plain: { tool: "browser_tabs", args: { action: "list" }, text: "about:blank" },
    typed: ["browser_navigate", "url"],
  },
  {
    name: "Chrome DevTools",
    packageName: "chrome-devtools-mcp",
    offers: ["ping"],
    args: [
      "--headless",
      "--isolated",
      "--executablePath",
      BROWSER,
      "--chromeArg=--no-sandbox",
      "--no-usage-statistics",
    ],
    plain: { tool: "list_pages", args: {}, text: "about:blank" },
    typed: ["new_page", "url"],
  },
];

export const publishedServers: readonly ServerPeer[] = published.map(peerOf);

function peerOf({ name, packageName, offers, args = [], ...shown }: Published): ServerPeer {
  // Known before the server starts, since its tools are called with the same path.
  const folder = join(tmpdir(), `parley-interop-${process.pid}-${packageName.replaceAll("/", "-")}`);
  return {
    name,
    packageName,
    exhibit: exhibitOf(shown, folder),
    modes: [
      {
        name: "stdio",
        era: "legacy",
        revision: "2025-11-25",
        withoutRoots: true,
        lacks: lackAllBut("has nothing to show for it", ...ALWAYS, ...offers),
        start: async () => {
          makeRepository(folder);
          const given = args.map((argument) => argument.replace("%", folder));
          const { endpoint } = runBy(process.execPath, scriptOf(packageName), ...given);
          return { endpoint, [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }) };
        },
      },
    ],
  };
}

function exhibitOf(
  {
    plain,
    typed: [tool, argument],
    structured,
    failing,
  }: Pick<Published, "plain" | "typed" | "structured" | "failing">,
  folder: string,
): Exhibit {
  const inFolder = <Case extends ToolCase>(given: Case): Case => ({
    ...given,
    args: Object.fromEntries(
      Object.entries(given.args).map(([key, value]) => [key, String(value).replace("%", folder)]),
    ),
  });
  return {
    ...ourExhibit,
    plain: inFolder(plain),
    echo: { tool, argument, prefix: "" },
    ...(structured && { structured: inFolder(structured) }),
    ...(failing && { failing: inFolder(failing) }),
  };
}

/** A folder with one file, which git does not know yet. */
function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, FILE), "hello");
  spawnSync("git", ["init", "--quiet", folder]);
}
