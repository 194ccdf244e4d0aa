/**
 * Published programs, agents and runtimes. They are large, so they are a package of their own in `interop/programs`, which
 * `npm run interop` installs and `npm test` does not.
 */
import { existsSync, readFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { fileURLToPath } from "node:url";

const folder = new URL("../programs/", import.meta.url);

/** What a package says about itself: one of this folder, or one of `interop/programs`. */
export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

export function manifestOf(packageName: string): Manifest {
  return JSON.parse(readFileSync(new URL("package.json", homeOf(packageName)), "utf8"));
}

/** The script behind the first command of a package. */
export function scriptOf(packageName: string): string {
  return fileURLToPath(new URL(Object.values(manifestOf(packageName).bin)[0] ?? "", homeOf(packageName)));
}

function homeOf(packageName: string): URL {
  const own = new URL(`../node_modules/${packageName}/`, import.meta.url);
  return existsSync(own) ? own : new URL(`node_modules/${packageName}/`, folder);
}

/** A module of `interop/programs`, whose imports are found among its packages. */
export function moduleOf(name: string): string {
  return fileURLToPath(new URL(name, folder));
}

/** The binary of a runtime. Bun's install script moves it out of the package for the platform, if scripts may run. */
export function runtime(name: "bun" | "deno"): string {
  const cpu = name === "bun" && arch() === "arm64" ? "aarch64" : arch();
  const paths = {
    bun: [`@oven/bun-${platform()}-${cpu}/bin/bun`, "bun/bin/bun.exe"],
    deno: [`@deno/${platform()}-${cpu}${platform() === "linux" ? "-glibc" : ""}/deno`, "deno/deno"],
  };
  const candidates = paths[name].map((path) => moduleOf(`node_modules/${path}`));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new Error(`There is no ${name} at ${candidates.join(" or ")}`);
  return found;
}
