import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Requirement, type Requirements, requirements } from "parley-requirements";
import { describe, expect, test } from "vitest";
import { coverageGaps, strayTests } from "./coverage.js";
import { collectDeclaration, collectDeclarations, type Declaration } from "./declarations.js";
import { sentencesWithoutSubject } from "./sentences.js";

const folder = fileURLToPath(new URL("../tests/", import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".test.ts"));

describe("the suite", () => {
  test("has the files to check", () => {
    expect(files.length).toBeGreaterThan(2);
  });

  test("tests every requirement, and nothing that is none, by sentences that stand alone", async () => {
    const declarations = await collectDeclarations(async () => {
      for (const file of files) await import(`${folder}${file}`);
    });
    expect(coverageGaps(requirements, declarations)).toEqual([]);
    expect(sentencesWithoutSubject(declarations.map(({ sentence }) => sentence))).toEqual([]);
  });

  test.each(files)("%s declares its tests through verifies alone", (file) => {
    expect(strayTests(readFileSync(`${folder}${file}`, "utf8"))).toEqual([]);
  });
});

describe("coverage gaps", () => {
  const sound: Requirement = { behavior: "It holds.", source: { decision: "x" }, strength: "decision" };
  const manifest: Requirements = { "a:one": sound, "a:two": { ...sound, divergence: { note: "not yet" } } };
  const one: Declaration = { ids: ["a:one"], sentence: "a holds", isDiverging: false };
  const two: Declaration = { ids: ["a:two"], sentence: "a holds", isDiverging: true };

  test("there are none when both sides agree", () => {
    expect(coverageGaps(manifest, [one, two])).toEqual([]);
  });

  test("an entry without a test", () => {
    expect(coverageGaps(manifest, [two])).toEqual(["a:one: in the manifest, but no test verifies it"]);
  });

  test("a test without an entry", () => {
    const stray = { ids: ["a:one", "a:three"], sentence: "a holds", isDiverging: false };
    expect(coverageGaps(manifest, [stray, two])).toEqual([
      "a:three: a test verifies it, but it is not in the manifest",
    ]);
  });

  test("a divergence that its test does not know of", () => {
    const [gap] = coverageGaps(manifest, [one, { ids: ["a:two"], sentence: "a holds", isDiverging: false }]);
    expect(gap).toBe("a:two: diverges by the manifest, but a test expects it to hold");
  });

  test("a divergence that the manifest does not know of", () => {
    const [gap] = coverageGaps(manifest, [{ ids: ["a:one"], sentence: "a holds", isDiverging: true }, two]);
    expect(gap).toBe("a:one: a test expects it to diverge, but the manifest knows of no divergence");
  });
});

describe("collecting declarations", () => {
  test("takes what is declared while loading, and nothing after", async () => {
    const declaration = { ids: ["a:one"], sentence: "a holds", isDiverging: false };
    const collected = await collectDeclarations(async () => {
      expect(collectDeclaration(declaration)).toBe(true);
    });
    expect(collected).toEqual([declaration]);
    expect(collectDeclaration(declaration)).toBe(false);
  });

  test("ends when a file cannot be loaded", async () => {
    await expect(collectDeclarations(() => Promise.reject(new Error("no such id")))).rejects.toThrow("no such id");
    expect(collectDeclaration({ ids: [], sentence: "", isDiverging: false })).toBe(false);
  });
});

test("tests that are no requirement's are found by what they import", () => {
  expect(strayTests('import { expect, vi } from "vitest";')).toEqual([]);
  expect(strayTests('import { expect, test } from "vitest";')).toEqual(["test"]);
  expect(strayTests('import {\n  describe,\n  it as check,\n} from "vitest";')).toEqual(["describe", "it as check"]);
});
