import { describe, expect, test } from "vitest";
import type { MethodSender, NotificationSpec, RequestSpec } from "./method-spec.js";
import { findNotification, findRequest, requiredResultFields } from "./method-table.js";
import { NOTIFICATIONS } from "./notification-table.js";
import { REQUESTS } from "./request-table.js";
import type { Revision } from "./revisions.js";
import { REVISIONS } from "./revisions.js";
import { type WireSchema, wireSchemas } from "./wire-schema.fixture.js";

type Find = (revision: Revision, sender: MethodSender, method: string) => RequestSpec | NotificationSpec | undefined;

/** Requests whose result has no definition of its own name. */
const EMPTY_RESULTS = ["PingRequest", "SubscribeRequest", "UnsubscribeRequest", "SetLevelRequest"];

const kinds: readonly [
  union: string,
  sender: MethodSender,
  rows: readonly (RequestSpec | NotificationSpec)[],
  find: Find,
][] = [
  ["ClientRequest", "client", REQUESTS, findRequest],
  ["ServerRequest", "server", REQUESTS, findRequest],
  ["ClientNotification", "client", NOTIFICATIONS, findNotification],
  ["ServerNotification", "server", NOTIFICATIONS, findNotification],
];

/** The methods that a union such as `ClientRequest` allows, with the names of their definitions. */
function methodsOf({ definitions }: WireSchema, union: string): Map<string, string> {
  const whole = definitions[union];
  const alone = whole?.properties?.method?.const;
  if (alone) return new Map([[alone, union]]);
  const names = whole?.anyOf?.map(({ $ref }) => $ref.split("/").at(-1) ?? "") ?? [];
  return new Map(names.map((name) => [definitions[name]?.properties?.method?.const ?? name, name]));
}

function requiredOf({ definitions }: WireSchema, name: string): readonly string[] {
  const definition = definitions[name];
  const parts = definition?.allOf?.flatMap(({ $ref }) => definitions[$ref.split("/").at(-1) ?? ""]?.required ?? []);
  return parts ?? definition?.required ?? [];
}

if (wireSchemas) {
  describe.each([...wireSchemas])("the tables agree with the wire schema of %s", (revision, schema) => {
    test.each(kinds)("%s has the methods that the table has", (union, sender, rows, find) => {
      const inTable = new Set(rows.map(({ method }) => method).filter((method) => find(revision, sender, method)));
      expect([...inTable].sort()).toEqual([...methodsOf(schema, union).keys()].sort());
    });

    test("no definition names a method outside of these, but for what input_required carries", () => {
      const literals = Object.values(schema.definitions).flatMap(({ properties }) => properties?.method?.const ?? []);
      const listed = new Set(kinds.flatMap(([union]) => [...methodsOf(schema, union).keys()]));
      const others = [...new Set(literals)].filter((method) => !listed.has(method)).sort();
      const carried = ["elicitation/create", "roots/list", "sampling/createMessage"];
      expect(others).toEqual(revision === "2026-07-28" ? carried : []);
    });

    test.each(["ClientRequest", "ServerRequest"])("results of a %s must carry what the table says", (union) => {
      for (const [method, name] of methodsOf(schema, union)) {
        const result = EMPTY_RESULTS.includes(name) ? "Result" : name.replace(/Request$/, "Result");
        expect(schema.definitions, method).toHaveProperty(result);
        expect([...requiredResultFields(revision, method)].sort(), method).toEqual(
          [...requiredOf(schema, result)].sort(),
        );
      }
    });
  });
} else {
  test("the wire schemas do not lie beside the checkout: the tables are checked by their own tests alone", () => {
    expect(REVISIONS.every((revision) => findRequest(revision, "client", "tools/call"))).toBe(true);
  });
}
