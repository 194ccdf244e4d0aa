/**
 * The official JSON Schema Test Suite, where it lies beside the checkout. Every case is decided as the suite says, or as
 * `test-suite-deviations.fixture.ts` says.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../runtime/json.js";
import { compileJsonSchema } from "./compile-json-schema.js";
import { DEVIATIONS, type Deviation, type DeviationKind } from "./test-suite-deviations.fixture.js";
import { UnusableSchemaError } from "./unusable-schema-error.js";

interface Group {
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly Case[];
}

interface Case {
  readonly description: string;
  readonly data: unknown;
  readonly valid: boolean;
}

type Outcome = "as the suite says" | DeviationKind;

const FOLDER = new URL("../../../../../shared/reference/json-schema-suite/tests/", import.meta.url);

const DIALECTS = [
  { folder: "draft2020-12", $schema: "https://json-schema.org/draft/2020-12/schema", cases: 2_000 },
  { folder: "draft2019-09", $schema: "https://json-schema.org/draft/2019-09/schema", cases: 2_000 },
  { folder: "draft7", $schema: "http://json-schema.org/draft-07/schema#", cases: 1_700 },
];

function listFiles(folder: URL, prefix = ""): string[] {
  return readdirSync(new URL(prefix, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? listFiles(folder, `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

function readGroups(folder: URL, file: string): Group[] {
  return JSON.parse(readFileSync(new URL(file, folder), "utf8"));
}

/** The decision on one case. A refused schema decides all of its cases. */
function outcomeOf({ schema }: Group, { data, valid }: Case, $schema: string): Outcome {
  try {
    const { ok } = compileJsonSchema(
      typeof schema === "boolean" ? { $schema, allOf: [schema] } : { $schema, ...schema },
    )(data);
    if (ok === valid) return "as the suite says";
    return ok ? "string accepted" : "string rejected";
  } catch (error) {
    if (error instanceof UnusableSchemaError) return "schema refused";
    throw error;
  }
}

function expectedOutcome({ kind }: Deviation, { data, valid }: Case): Outcome {
  if (kind === "schema refused") return kind;
  return typeof data === "string" && valid === (kind === "string rejected") ? kind : "as the suite says";
}

function deviationFor(file: string, { description }: Group): Deviation | undefined {
  return DEVIATIONS.find((deviation) => deviation.file === file && (deviation.groups?.includes(description) ?? true));
}

if (existsSync(FOLDER)) {
  describe.each(DIALECTS)("the JSON Schema Test Suite for $folder", ({ folder, $schema, cases }) => {
    const url = new URL(`${folder}/`, FOLDER);
    const files = listFiles(url);

    test("is there as a whole", () => {
      const found = files.flatMap((file) => readGroups(url, file).flatMap(({ tests }) => tests));
      expect(found.length).toBeGreaterThanOrEqual(cases);
    });

    test.each(files)("is passed but for the listed deviations: %s", (file) => {
      const surprises = readGroups(url, file).flatMap((group) => {
        const deviation = deviationFor(file, group);
        return group.tests.flatMap((tested) => {
          const expected = deviation === undefined ? "as the suite says" : expectedOutcome(deviation, tested);
          const outcome = outcomeOf(group, tested, $schema);
          return outcome === expected
            ? []
            : [`${group.description}: ${tested.description}: ${outcome}, not ${expected}`];
        });
      });
      expect(surprises).toEqual([]);
    });
  });

  test("every listed deviation is one of a group in the suite", () => {
    const stale = DEVIATIONS.flatMap(({ file, groups = [] }) => {
      const found = DIALECTS.filter(({ folder }) => existsSync(new URL(`${folder}/${file}`, FOLDER))).flatMap(
        ({ folder }) => readGroups(new URL(`${folder}/`, FOLDER), file).map(({ description }) => description),
      );
      if (found.length === 0) return [file];
      return groups.filter((group) => !found.includes(group)).map((group) => `${file}: ${group}`);
    });
    expect(stale).toEqual([]);
  });
} else {
  test("the JSON Schema Test Suite is not beside this checkout, so none of its cases is run", () => {
    expect(existsSync(FOLDER)).toBe(false);
  });
}
