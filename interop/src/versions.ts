/** Which releases of the peers take part. */
import { existsSync, readFileSync } from "node:fs";

export function versionOf(packageName: string): string {
  const folders = ["../node_modules", "../programs/node_modules"];
  const manifests = folders.map((folder) => new URL(`${folder}/${packageName}/package.json`, import.meta.url));
  const manifest = manifests.find((candidate) => existsSync(candidate)) ?? "";
  // Every package has a version.
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

export function versionsOf(packageNames: Iterable<string>): Record<string, string> {
  return Object.fromEntries([...new Set(packageNames)].sort().map((name) => [name, versionOf(name)]));
}
