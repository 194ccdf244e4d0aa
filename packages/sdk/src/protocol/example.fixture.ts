/**
 * Small sound messages, and what must become of them: as they are they pass; without a required field, or with a field
 * of a wrong type, the fault names that field. Each `*-examples-contract.ts` beside this file holds those of one area.
 */
import type { MethodSender } from "./method-spec.js";
import type { Revision } from "./revisions.js";
import type { Shape } from "./shape.js";

/** Where a message appears and how it may be spoiled. Paths are written as faults write them, such as `a.b[0].c`. */
interface Terms {
  /** Fields whose absence is a fault; as a pair where the fault shows at another path. All others may be absent. */
  readonly required?: readonly (string | readonly [removed: string, faultAt: string])[];
  /** Fields that may be absent although every schema requires them. */
  readonly lenient?: readonly string[];
  /** Paths where any JSON passes; with `.*` at the end, what lies below the path. */
  readonly open?: readonly string[];
  /** The first revision whose schema has all of it. */
  readonly since?: Revision;
  /** The last revision whose schema has all of it. */
  readonly until?: Revision;
}

/** One sound value. */
export interface Example extends Terms {
  readonly name: string;
  /** The definition in the wire schemas. */
  readonly definition: string;
  readonly kind: "request" | "notification" | "result" | "part";
  readonly method?: string;
  readonly sender?: MethodSender;
  /** Only for a part; the others are checked by the shape in the table. */
  readonly shape?: Shape;
  readonly value: object | undefined;
}

/** The params of a request. */
export function params<T extends object | undefined>(
  route: `${MethodSender} ${string}`,
  definition: `${string}Request`,
  value: T,
  terms: Terms = {},
): Example {
  return { ...terms, ...routed(route), name: `${route} params`, definition, kind: "request", value };
}

/** The result of a request. */
export function result<T extends object>(
  route: `${MethodSender} ${string}`,
  definition: `${string}Result`,
  value: T,
  terms: Terms = {},
): Example {
  return { ...terms, ...routed(route), name: `${route} result`, definition, kind: "result", value };
}

/** The params of a notification. */
export function notification<T extends object | undefined>(
  route: `${MethodSender} ${string}`,
  definition: `${string}Notification`,
  value: T,
  terms: Terms = {},
): Example {
  return { ...terms, ...routed(route), name: route, definition, kind: "notification", value };
}

/** A shape that belongs to no single row of the tables. */
export function part<T extends object>(definition: string, shape: Shape, value: T, terms: Terms): Example {
  return { ...terms, name: definition, definition, kind: "part", shape, value };
}

function routed(route: string): { sender: MethodSender; method: string } {
  const [sender, method = ""] = route.split(" ");
  return { sender: sender === "client" ? "client" : "server", method };
}
