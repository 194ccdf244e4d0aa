/** Which releases of the peers take part. */
import { manifestOf } from "./programs.js";

export function versionOf(packageName: string): string {
  return manifestOf(packageName).version;
}

export function versionsOf(packageNames: Iterable<string>): Record<string, string> {
  return Object.fromEntries([...new Set(packageNames)].sort().map((name) => [name, versionOf(name)]));
}
