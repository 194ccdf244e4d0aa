/**
 * Everything that can be said about the repository without running its tests: types, style, the shape of the package,
 * dead code, layers. Builds first, then prints one line per check, and the whole output of what fails.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const root = new URL("..", import.meta.url);

/** Every script named `check:…`; each also runs alone, as `npm run check:…`. */
const checks = Object.entries(readScripts()).filter(([name]) => name.startsWith("check:"));

/** @returns {Record<string, string>} */
function readScripts() {
  return JSON.parse(readFileSync(new URL("package.json", root), "utf8")).scripts;
}

/**
 * @param {string} name
 * @param {string} command
 * @returns {Promise<boolean>}
 */
function run(name, command) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    /** @type {Buffer[]} */
    const output = [];
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("close", (status) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1).padStart(5);
      console.log(`${status === 0 ? "ok    " : "FAILED"} ${seconds} s  ${name}`);
      if (status !== 0) console.log(`$ ${command}\n${Buffer.concat(output).toString("utf8")}`);
      resolve(status === 0);
    });
  });
}

let isSound = await run("build", "npm run --silent build");
const queue = [...checks];
const worker = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    // Not `isSound &&= await …`: that would read the flag before the wait and lose what fails meanwhile.
    if (!(await run(...next))) isSound = false;
  }
};
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker));
process.exitCode = isSound ? 0 : 1;
