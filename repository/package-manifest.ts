/** What a workspace's package.json says about dependencies and published entries. */
import { readSource } from "./source-files.js";

export interface PackageManifest {
  readonly name: string;
  readonly homepage?: string;
  readonly engines?: { readonly node: string };
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly exports?: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export function readManifest(folder: string): PackageManifest {
  return JSON.parse(readSource(folder === "" ? "package.json" : `${folder}/package.json`).text) as PackageManifest;
}

/** What published code may import. */
export function shippedDependencies(manifest: PackageManifest): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
}

export function developmentDependencies(manifest: PackageManifest): string[] {
  return Object.keys(manifest.devDependencies ?? {});
}

/** The specifiers a user may write, such as `parley-mcp/server`, without data files. */
export function publishedEntries(manifest: PackageManifest): string[] {
  return Object.entries(manifest.exports ?? {})
    .filter(([, target]) => typeof target !== "string")
    .map(([subpath]) => manifest.name + subpath.slice(1));
}

/** The source of an entry, such as `parley-mcp/server` or `@parley-mcp/redis`. */
export function entrySource(entry: string): string {
  const [, scoped] = /^@parley-mcp\/(redis|bullmq)$/.exec(entry) ?? [];
  if (scoped !== undefined) return `packages/${scoped}/src/index.ts`;
  return `packages/sdk/src${entry.slice("parley-mcp".length)}/index.ts`;
}
