/** The rules between files. Each takes files as data and returns one sentence per violation; none means the rule holds. */
import { posix } from "node:path";
import { parseSync } from "oxc-parser";
import { type Import, importsOf, resolveRelative } from "./imports.js";
import { isTestFile, type SourceFile } from "./source-files.js";

const maxLines = 500;

/** Names that say nothing about what is inside; the first group is refused as part of a name, too. */
const drawerParts = new Set(["util", "utils", "helper", "helpers", "misc", "manager"]);
const drawerNames = new Set(["shared", "common", "core", "types", "lib"]);

/** An entry is named after what its users look for. */
const typesEntry = "packages/sdk/src/types/index.ts";

const suppression = /biome-ignore\S*|@ts-ignore|@ts-nocheck|\b(?:v8|c8|istanbul) ignore/;
const suppressionOutsideTests = new RegExp(`${suppression.source}|@ts-expect-error`);

export interface LayerRules {
  /** The folder that holds the layers. */
  readonly root: string;
  readonly layers: readonly (readonly string[])[];
  /** Packages that published code may import. */
  readonly dependencies: readonly string[];
  /** Packages that tests may import besides those. */
  readonly testDependencies: readonly string[];
  /** Folders under the root whose files may import Node's own modules. */
  readonly nodeFolders: readonly string[];
  /** Specifiers of the package's own, and the file that each stands for. */
  readonly ownImports?: ReadonlyMap<string, string>;
}

/** Every file sits in a known layer and imports only its own layer, those above it, and declared packages. */
export function layerViolations(files: readonly SourceFile[], rules: LayerRules): string[] {
  const rowOf = new Map(rules.layers.flatMap((row, index) => row.map((folder) => [folder, index] as const)));
  const layerOf = (path: string) => {
    const [folder = "", inner] = posix.relative(rules.root, path).split("/");
    const nested = `${folder}/${inner}`;
    return rowOf.has(nested) ? nested : folder;
  };
  return files.flatMap((file) => {
    const layer = layerOf(file.path);
    const row = rowOf.get(layer);
    if (row === undefined) return [`${file.path}: "${layer}" is not in the layer table`];
    return importsOf(file).flatMap(({ specifier }) => {
      const target = rules.ownImports?.get(specifier) ?? resolveRelative(file, specifier);
      if (target === undefined) return packageViolations(file, specifier, layer, rules);
      const targetLayer = layerOf(target);
      const targetRow = rowOf.get(targetLayer);
      if (targetRow === undefined) return [`${file.path} imports ${specifier}, which is in no layer`];
      if (targetLayer === layer || targetRow < row) return [];
      return [
        `${file.path} (${layer}) imports ${specifier} (${targetLayer}): ${layer} may import only what is above it`,
      ];
    });
  });
}

/** Files outside of a sealed folder import only its `index.ts`. */
export function sealViolations(files: readonly SourceFile[], root: string, sealedFolders: readonly string[]): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier }) => {
      const target = resolveRelative(file, specifier);
      const folder = sealedFolders.find((sealed) => target?.startsWith(`${root}/${sealed}/`));
      if (folder === undefined || file.path.startsWith(`${root}/${folder}/`)) return [];
      return target === `${root}/${folder}/index.ts`
        ? []
        : [`${file.path} imports ${specifier}: use ${folder}/index.ts, the only door of ${folder}`];
    }),
  );
}

function packageViolations(file: SourceFile, specifier: string, layer: string, rules: LayerRules): string[] {
  const isTest = isTestFile(file.path);
  if (specifier.startsWith("node:")) {
    const path = posix.relative(rules.root, file.path);
    return isTest || rules.nodeFolders.some((folder) => path.startsWith(`${folder}/`))
      ? []
      : [`${file.path} imports ${specifier}: ${layer} runs without Node`];
  }
  const name = packageName(specifier);
  if (rules.dependencies.includes(name) || (isTest && rules.testDependencies.includes(name))) return [];
  return [`${file.path} imports ${specifier}, which is not a declared dependency`];
}

/** Code beside the packages imports them by name, as a user would, and nothing that it does not declare. */
export function outsiderViolations(
  files: readonly SourceFile[],
  folder: string,
  allowed: readonly string[],
  entries: readonly string[],
): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier }) => {
      const target = resolveRelative(file, specifier);
      if (target !== undefined) {
        return target.startsWith(`${folder}/`)
          ? []
          : [`${file.path} imports ${specifier}, which is outside ${folder}/`];
      }
      if (specifier.startsWith("node:") || entries.includes(specifier)) return [];
      const name = packageName(specifier);
      if (entries.some((entry) => packageName(entry) === name)) {
        return [`${file.path} imports ${specifier}, which ${name} does not publish`];
      }
      return allowed.includes(name) ? [] : [`${file.path} imports ${specifier}, which is not a declared dependency`];
    }),
  );
}

/** What a module loads at run time, itself included, that is no part of every web-standard runtime nor of `packages`. */
export function portabilityViolations(
  files: readonly SourceFile[],
  entry: string,
  ownImports: ReadonlyMap<string, string>,
  packages: readonly string[] = [],
): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set<string>();
  const visit = (path: string): string[] => {
    const file = byPath.get(path);
    if (loaded.has(path)) return [];
    if (file === undefined) return [`${path} does not exist`];
    loaded.add(path);
    return importsOf(file).flatMap(({ specifier, isTypeOnly }) => {
      if (isTypeOnly) return [];
      const target = ownImports.get(specifier) ?? resolveRelative(file, specifier);
      if (target !== undefined) return visit(target);
      return packages.includes(packageName(specifier)) ? [] : [`${entry} loads ${specifier} by way of ${path}`];
    });
  };
  return visit(entry);
}

/** Files that import each other at run time, directly or in a circle. */
export function cycleViolations(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map((file) => [file.path, valueTargets(file)]));
  const done = new Set<string>();
  const violations: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) violations.push(`import cycle: ${[...trail.slice(seenAt), path].join(" -> ")}`);
    if (seenAt >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return violations;
}

export function sizeViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split("\n").length;
    return lines > maxLines ? [`${path} has ${lines} lines, more than ${maxLines}: split it along an idea`] : [];
  });
}

export function nameViolations(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (path === typesEntry) return [];
    const drawer = path.split("/").find((segment) => {
      const name = segment.replace(/\..*$/, "").toLowerCase();
      return drawerNames.has(name) || name.split("-").some((part) => drawerParts.has(part));
    });
    return drawer === undefined ? [] : [`${path}: "${drawer}" is a drawer; name it after what it holds`];
  });
}

/** Comments that switch a check off. A test may expect a type error; nothing else is excused. */
export function suppressionViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const excuse = isTestFile(file.path) ? suppression : suppressionOutsideTests;
    return parseSync(file.path, file.text).comments.flatMap((comment) => {
      const found = excuse.exec(comment.value)?.[0];
      return found === undefined ? [] : [`${file.path}: "${found}" switches a check off; satisfy it instead`];
    });
  });
}

function valueTargets(file: SourceFile): string[] {
  const targetOf = (found: Import) => (found.isTypeOnly ? undefined : resolveRelative(file, found.specifier));
  return importsOf(file)
    .map(targetOf)
    .filter((target) => target !== undefined);
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
