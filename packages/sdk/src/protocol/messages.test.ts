import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../runtime/json.js";
import type { Example } from "./example.fixture.js";
import { inputExamples } from "./input-examples.fixture.js";
import { lifecycleExamples } from "./lifecycle-examples.fixture.js";
import { MetaKey } from "./meta-keys.js";
import { findNotification, findRequest } from "./method-table.js";
import { NOTIFICATIONS } from "./notification-table.js";
import { promptsExamples } from "./prompts-examples.fixture.js";
import { REQUESTS } from "./request-table.js";
import { resourcesExamples } from "./resources-examples.fixture.js";
import { isModernRevision, REVISIONS, type Revision } from "./revisions.js";
import { explain, type Shape } from "./shape.js";
import { tasksExamples } from "./tasks-examples.fixture.js";
import { toolsExamples } from "./tools-examples.fixture.js";
import { wireSchemas } from "./wire-schema.fixture.js";

type Path = readonly (string | number)[];

const examples = [
  ...lifecycleExamples,
  ...toolsExamples,
  ...resourcesExamples,
  ...promptsExamples,
  ...inputExamples,
  ...tasksExamples,
];

/** What a modern message carries besides what its method says. */
const modernMeta = { [MetaKey.protocolVersion]: "2026-07-28", [MetaKey.clientCapabilities]: {} };
const modernResult = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

function revisionsOf({ kind, method = "", sender = "client", since, until }: Example): Revision[] {
  const find = kind === "notification" ? findNotification : findRequest;
  return REVISIONS.filter((revision) => kind === "part" || find(revision, sender, method)).filter(
    (revision) => (since === undefined || revision >= since) && (until === undefined || revision <= until),
  );
}

function shapeOf({ kind, method = "", sender = "client", shape }: Example, revision: Revision): Shape {
  const spec = findRequest(revision, sender, method);
  const found = {
    request: spec?.params,
    result: spec?.result,
    notification: findNotification(revision, sender, method)?.params,
    part: shape,
  }[kind];
  if (!found) throw new Error(`${revision} has no ${sender} ${method}`);
  return found;
}

/** What the revision's own schema has against the value, or undefined where there is no schema to ask. */
function judge({ kind, method, definition }: Example, revision: Revision, value: unknown): string[] | undefined {
  const isModern = isModernRevision(revision);
  const params = kind === "request" && isModern ? withModernMeta(value) : value;
  const messages = {
    request: { jsonrpc: "2.0", id: 1, method, params },
    notification: { jsonrpc: "2.0", method, params },
    result: isModern && isJsonObject(value) ? { ...modernResult, ...value } : value,
    part: value,
  };
  // Absent params are absent on the wire, and a missing field is no field.
  const message: unknown = JSON.parse(JSON.stringify(messages[kind]));
  return wireSchemas?.get(revision)?.judge(definition, message);
}

function withModernMeta(params: unknown): unknown {
  const { _meta = {}, ...others } = isJsonObject(params) ? params : {};
  return { ...others, _meta: isJsonObject(_meta) ? { ...modernMeta, ..._meta } : _meta };
}

function textOf(path: Path): string {
  return (
    explain({ path: [...path], expected: "", got: "" }, "")
      .split(": expected")[0]
      ?.replace(/^\./, "") ?? ""
  );
}

/** Every path in a value but those where anything passes. */
function pathsOf(value: unknown, { required = [], open = [] }: Example, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...at, Array.isArray(value) ? Number(name) : name];
    const [text, parent] = [textOf(path), textOf(at)];
    const isFree =
      open.includes(`${parent}.*`) || (at.at(-1) === "_meta" && !required.includes(text) && name !== "progressToken");
    if (isFree || open.includes(text)) return [];
    return [path, ...pathsOf(inner, { required, open } as Example, path)];
  });
}

/** A copy of the value in which the place at the path was changed. */
function changed(
  value: unknown,
  path: Path,
  change: (holder: Record<string | number, unknown>, key: string | number) => void,
) {
  const copy: unknown = structuredClone(value);
  let holder = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
  change(holder, path.at(-1) ?? "");
  return copy;
}

function faultPath(shape: Shape, value: unknown): string | undefined {
  const fault = shape(value);
  return fault && textOf(fault.path);
}

test("every row of the tables has examples of its params and of its result", () => {
  const covered = new Set(examples.map(({ kind, sender, method }) => `${kind} ${sender} ${method}`));
  const wanted = [
    ...REQUESTS.flatMap(({ sender, method }) => [`request ${sender} ${method}`, `result ${sender} ${method}`]),
    ...NOTIFICATIONS.map(({ sender, method }) => `notification ${sender} ${method}`),
  ];
  expect(wanted.filter((row) => !covered.has(row))).toEqual([]);
});

describe.each(examples.map((example) => [example.name, example] as const))("%s", (_name, example) => {
  const { value, required = [], lenient = [] } = example;
  const revisions = revisionsOf(example);
  const shapes = new Set(revisions.map((revision) => shapeOf(example, revision)));
  const needed = new Map(required.map((entry) => (typeof entry === "string" ? [entry, entry] : entry)));
  const paths = pathsOf(value, example);

  test("passes as it is, with unknown fields, and in the revisions' own schemas", () => {
    expect(revisions.length).toBeGreaterThan(0);
    for (const shape of shapes) {
      expect(shape(value)).toBeUndefined();
      expect(shape(value && { ...value, "x-unknown": { deep: [1] } })).toBeUndefined();
    }
    for (const revision of revisions) expect(judge(example, revision, value) ?? [], revision).toEqual([]);
  });

  test("is refused at the right path without a required field, and passes without an optional one", () => {
    const removable = paths.filter((path) => typeof path.at(-1) === "string");
    expect(removable.map(textOf)).toEqual(
      expect.arrayContaining([...needed.keys()].filter((path) => !example.open?.includes(path))),
    );
    for (const path of [...removable, ...openRequired(example)]) {
      const without = changed(value, path, (holder, key) => delete holder[key]);
      const text = textOf(path);
      for (const shape of shapes) expect(faultPath(shape, without), text).toBe(needed.get(text));
      if (!wireSchemas) continue;
      const refusals = revisions.filter((revision) => judge(example, revision, without)?.length);
      if (needed.has(text)) expect(refusals, `${text} is required here, so in the schemas too`).toEqual(revisions);
      else if (!lenient.includes(text))
        expect(refusals.length, `${text} is optional here`).toBeLessThan(revisions.length);
    }
  });

  test("is refused at the right path with a field of a wrong type", () => {
    for (const path of paths) {
      const wrong = changed(value, path, (holder, key) => {
        holder[key] = typeof holder[key] === "object" && holder[key] !== null ? null : {};
      });
      for (const shape of shapes) expect(faultPath(shape, wrong)).toBe(textOf(path));
      if (!wireSchemas) continue;
      const refusals = revisions.filter((revision) => judge(example, revision, wrong)?.length);
      expect(refusals.length, `${textOf(path)} is refused here, so somewhere in the schemas`).toBeGreaterThan(0);
    }
  });
});

function openRequired({ required = [], open = [] }: Example): Path[] {
  return required
    .filter((path): path is string => typeof path === "string" && open.includes(path))
    .map((path) => [path]);
}

test("shapes give a verdict on any value, and leave it as it was", () => {
  const shapes = [
    ...REQUESTS.flatMap(({ params, result }) => [params, result]),
    ...NOTIFICATIONS.map(({ params }) => params),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...shapes), fc.jsonValue(), (shape, value) => {
      const before = JSON.stringify(value);
      const fault = shape(value);
      expect(fault === undefined || explain(fault, "params").startsWith("params")).toBe(true);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});
