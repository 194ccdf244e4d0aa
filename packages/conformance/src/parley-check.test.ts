/** The command in `bin/`, which npm links at installation: it needs the build, and says so. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/** A copy of `bin/` beside a `dist/` with this program, or without one. */
function installed(program?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-check-bin-"));
  cpSync(join(PACKAGE, "bin"), join(folder, "bin"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  if (program !== undefined) {
    mkdirSync(join(folder, "dist"));
    writeFileSync(join(folder, "dist/parley-check.js"), program);
  }
  return join(folder, "bin/parley-check.js");
}

test("the command of the package is an executable file that is not built", () => {
  const { bin, files } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
  const command = join(PACKAGE, bin["parley-check"]);

  expect(files).toContain("bin");
  expect(() => accessSync(command, constants.X_OK)).not.toThrow();
  expect(execFileSync("git", ["ls-files", "--", command], { cwd: PACKAGE, encoding: "utf8" })).not.toBe("");
});

test("without a build the command says what to run and exits with 2", () => {
  const { status, stderr } = spawnSync(process.execPath, [installed()], { encoding: "utf8" });

  expect(stderr).toContain("npm run build");
  expect(status).toBe(2);
});

test("with a build the command runs it with its arguments", () => {
  const command = installed("console.log(process.argv.slice(2).join()); process.exitCode = 7;");
  const { status, stdout } = spawnSync(process.execPath, [command, "--list", "x"], { encoding: "utf8" });

  expect(stdout).toBe("--list,x\n");
  expect(status).toBe(7);
});

test("the built command goes on to its exit code when nobody reads its output", async () => {
  const child = spawn(process.execPath, [join(PACKAGE, "bin/parley-check.js"), "--list"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const [code] = await once(child, "close");

  expect(complaints).toBe("");
  expect(code).toBe(0);
});

test("a signal to the built command ends the program under check", async () => {
  const server = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const program = `require("node:net").connect(${port}, "127.0.0.1"); process.on("SIGTERM", () => {})`;
  const argv = [join(PACKAGE, "bin/parley-check.js"), "--", process.execPath, "-e", program];
  const child = spawn(process.execPath, argv, { stdio: "ignore" });
  const [socket] = (await once(server, "connection")) as [Socket];
  const gone = once(socket.resume(), "close");

  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  await gone;
  server.close();

  expect(code).toBe(143);
});

test("the built command finds its login program", () => {
  const command = join(PACKAGE, "bin/parley-check.js");
  const options = ["--login", "http://127.0.0.1:1/mcp"];
  const { status, stderr } = spawnSync(process.execPath, [command, ...options], { encoding: "utf8" });

  expect(stderr).toContain("parley-check: the login failed: fetch failed");
  expect(status).toBe(2);
});
