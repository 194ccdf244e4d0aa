/** Holds the layer table, the borders between workspaces, and the size and names of files. */
import { describe, expect, test } from "vitest";
import {
  cycleViolations,
  type LayerRules,
  layerViolations,
  nameViolations,
  outsiderViolations,
  portabilityViolations,
  sealViolations,
  sizeViolations,
  suppressionViolations,
} from "./architecture.js";
import { importsOf } from "./imports.js";
import {
  bullmqLayers,
  checkerLayers,
  layers,
  nodeFolders,
  platformImports,
  redisLayers,
  sealedFolders,
} from "./layers.js";
import {
  developmentDependencies,
  entrySource,
  publishedEntries,
  readManifest,
  shippedDependencies,
} from "./package-manifest.js";
import { isTestFile, listFiles, readTypeScript } from "./source-files.js";

const root = readManifest("");
const sdk = readManifest("packages/sdk");
const sdkFiles = readTypeScript("packages/sdk/src");
const requirementFiles = readTypeScript("packages/requirements/src");

describe("packages/sdk", () => {
  test("has the files to check", () => {
    const shipped = sdkFiles.filter((file) => !isTestFile(file.path));
    expect(shipped.length).toBeGreaterThan(60);
    expect(sdkFiles.length - shipped.length).toBeGreaterThan(30);
  });

  test("a layer imports only the layers above it and declared dependencies", () => {
    const rules: LayerRules = {
      root: "packages/sdk/src",
      layers,
      nodeFolders,
      ownImports: platformImports,
      dependencies: shippedDependencies(sdk),
      testDependencies: [...developmentDependencies(sdk), ...developmentDependencies(root)],
    };
    expect(layerViolations(sdkFiles, rules)).toEqual([]);
  });

  test("a sealed folder is imported by its index.ts only", () => {
    expect(sealViolations(sdkFiles, "packages/sdk/src", sealedFolders)).toEqual([]);
  });

  test("no files import each other in a circle", () => {
    expect(cycleViolations(sdkFiles)).toEqual([]);
  });

  const portable = ["parley-mcp", "parley-mcp/server", "parley-mcp/client", "parley-mcp/types", "parley-mcp/web"];
  test.each(portable)("%s loads nothing of Node, nor any package", (entry) => {
    expect(portabilityViolations(sdkFiles, entrySource(entry), platformImports)).toEqual([]);
  });

  test.each(portable)("%s does not load the engine of tasks", (entry) => {
    // A file that is loaded and missing is a violation.
    const others = sdkFiles.filter(({ path }) => path !== "packages/sdk/src/tasks/task-engine.ts");
    expect(others).toHaveLength(sdkFiles.length - 1);
    expect(portabilityViolations(others, entrySource(entry), platformImports)).toEqual([]);
  });

  const authorization = ["parley-mcp/oauth", "parley-mcp/oauth/resource", "parley-mcp/oauth/server"];
  test.each(authorization)("%s loads nothing of Node, and no packages but those of OAuth", (entry) => {
    const packages = ["jose", "oauth4webapi"];
    expect(portabilityViolations(sdkFiles, entrySource(entry), platformImports, packages)).toEqual([]);
  });
});

describe("packages/requirements", () => {
  test("imports nothing but itself", () => {
    const shipped = requirementFiles.filter((file) => !isTestFile(file.path));
    expect(shipped.length).toBeGreaterThan(5);
    expect(
      layerViolations(shipped, {
        root: "packages/requirements",
        layers: [["src"]],
        nodeFolders: [],
        dependencies: [],
        testDependencies: [],
      }),
    ).toEqual([]);
  });
});

describe("packages/conformance", () => {
  const files = readTypeScript("packages/conformance/src");
  const rules: LayerRules = {
    root: "packages/conformance/src",
    layers: checkerLayers,
    nodeFolders: ["wire", "cli"],
    dependencies: ["parley-requirements"],
    testDependencies: [
      ...developmentDependencies(readManifest("packages/conformance")),
      ...developmentDependencies(root),
    ],
  };

  test("a layer imports only the layers above it and the manifest, never the SDK", () => {
    const shipped = files.filter((file) => !isTestFile(file.path));
    expect(shipped.length).toBeGreaterThan(30);
    expect(layerViolations(files, rules)).toEqual([]);
  });

  test("no files import each other in a circle", () => {
    expect(cycleViolations(files)).toEqual([]);
  });
});

describe.each([
  { folder: "packages/redis", layers: redisLayers, floor: 10, insideFloor: 5 },
  { folder: "packages/bullmq", layers: bullmqLayers, floor: 3, insideFloor: 2 },
])("$folder", ({ folder, layers: ownLayers, floor, insideFloor }) => {
  const manifest = readManifest(folder);
  const files = readTypeScript(`${folder}/src`);
  const shipped = files.filter((file) => !isTestFile(file.path));

  test("a file imports only the files above it and declared dependencies", () => {
    expect(shipped.length).toBeGreaterThan(floor);
    const dependencies = shippedDependencies(manifest);
    const rules: LayerRules = {
      root: folder,
      layers: ownLayers.map((row) => row.map((file) => `src/${file}`)),
      nodeFolders: ["src"],
      dependencies,
      testDependencies: [],
    };
    expect(layerViolations(shipped, rules)).toEqual([]);
    expect(outsiderViolations(shipped, folder, dependencies, publishedEntries(sdk))).toEqual([]);
  });

  test("a test imports only contracts and fixtures of other packages besides published entries", () => {
    const sources = files.flatMap((file) => importsOf(file)).map(({ specifier }) => specifier);
    const inside = sources.filter((specifier) => specifier.startsWith("../"));
    expect(inside.length).toBeGreaterThan(insideFloor);
    expect(inside.filter((specifier) => !/(?:-contract|\.fixture)\.js$/.test(specifier))).toEqual([]);
  });

  test("no files import each other in a circle", () => {
    expect(cycleViolations(files)).toEqual([]);
  });
});

describe("workspaces beside the packages", () => {
  const published = ["packages/requirements", "packages/redis", "packages/bullmq"].map(readManifest);
  const entries = [sdk, ...published].flatMap(publishedEntries);
  const rootTools = developmentDependencies(root);

  test.each([
    { folder: "interaction", floor: 5 },
    { folder: "examples", floor: 1 },
    { folder: "bench", floor: 1 },
    { folder: "chaos", floor: 10 },
    { folder: "conformance", floor: 10 },
    { folder: "interop", floor: 10 },
  ])("$folder imports only what the packages publish", ({ folder, floor }) => {
    const files = readTypeScript(folder);
    const manifest = readManifest(folder);
    expect(files.length).toBeGreaterThanOrEqual(floor);
    const allowed = [...shippedDependencies(manifest), ...developmentDependencies(manifest), ...rootTools];
    expect(outsiderViolations(files, folder, allowed, entries)).toEqual([]);
  });
});

describe("every workspace", () => {
  const paths = listFiles().filter((path) => /\.(ts|js|md|json)$/.test(path));
  const files = [
    "packages",
    "interaction",
    "examples",
    "bench",
    "chaos",
    "conformance",
    "fuzz",
    "interop",
    "repository",
    "scripts",
  ].flatMap(readTypeScript);

  test("has the files to check", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(paths.length).toBeGreaterThan(files.length);
  });

  test("no file outgrows its idea", () => {
    expect(sizeViolations(files)).toEqual([]);
  });

  test("no file or folder is a drawer", () => {
    expect(nameViolations(paths)).toEqual([]);
  });

  test("no comment switches a check off", () => {
    expect(suppressionViolations(files)).toEqual([]);
  });
});
