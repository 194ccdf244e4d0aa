/** Which releases of the peers take part. */
import { readFileSync } from "node:fs";

export function versionOf(packageName: string): string {
  const manifest = new URL(`../node_modules/${packageName}/package.json`, import.meta.url);
  // Every package has a version.
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

export function versionsOf(packageNames: Iterable<string>): Record<string, string> {
  return Object.fromEntries([...new Set(packageNames)].sort().map((name) => [name, versionOf(name)]));
}
