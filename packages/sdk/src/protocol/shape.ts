/**
 * Shapes check received values. A shape returns the first fault of a value, or undefined. Shapes never copy or change a
 * value, ignore unknown fields, and have a fixed depth, so that nested input cannot exhaust the stack.
 */
import { isJsonObject } from "../runtime/json.js";
import { shorten } from "../runtime/shorten.js";

/** One fault of a value, and its path. */
export interface Fault {
  /** From the outermost key to the innermost; filled from the inside out while a check unwinds. */
  readonly path: (string | number)[];
  readonly expected: string;
  readonly got: string;
}

/** Returns the first fault of a value; undefined for a valid one. */
export type Shape = (value: unknown) => Fault | undefined;

const MAX_IDENTIFIER_CHARS = 64;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Puts a fault into words, such as `params.arguments.env: expected string, got number`. */
export function explain(fault: Fault, root: string): string {
  const path = fault.path.map((key) => {
    if (typeof key === "number") return `[${key}]`;
    return key.length <= MAX_IDENTIFIER_CHARS && IDENTIFIER.test(key) ? `.${key}` : `[${quote(key)}]`;
  });
  return `${root}${path.join("")}: expected ${fault.expected}, got ${fault.got}`;
}

export const anything: Shape = () => undefined;

/** Any JSON value: present, even if null. */
export const present: Shape = (value) => (value === undefined ? mismatch("a value", "nothing") : undefined);

export const string: Shape = (value) => (typeof value === "string" ? undefined : mismatch("string", kindOf(value)));

export const boolean: Shape = (value) => (typeof value === "boolean" ? undefined : mismatch("boolean", kindOf(value)));

export const number: Shape = (value) => (Number.isFinite(value) ? undefined : mismatch("number", shown(value)));

export const integer: Shape = (value) => (Number.isInteger(value) ? undefined : mismatch("integer", shown(value)));

/** The type of ids and tokens. */
export const stringOrInteger: Shape = (value) =>
  typeof value === "string" || Number.isInteger(value) ? undefined : mismatch("string or integer", shown(value));

export const jsonObject: Shape = (value) => (isJsonObject(value) ? undefined : mismatch("object", kindOf(value)));

export const scalar: Shape = (value) =>
  typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
    ? undefined
    : mismatch("string, number or boolean", shown(value));

/** One of a few strings. */
export function oneOf(...values: readonly string[]): Shape {
  const allowed: ReadonlySet<unknown> = new Set(values);
  const expected = listed(values.map(quote));
  return (value) => (allowed.has(value) ? undefined : mismatch(expected, shown(value)));
}

/** A string in a format, which `expected` names. */
export function formatted(expected: string, isInFormat: (text: string) => boolean): Shape {
  return (value) => {
    if (typeof value !== "string") return mismatch("string", kindOf(value));
    return isInFormat(value) ? undefined : mismatch(expected, shown(value));
  };
}

/** A number from `minimum` to `maximum`, both included. */
export function numberFrom(minimum: number, maximum: number): Shape {
  const expected = `number from ${minimum} to ${maximum}`;
  return (value) =>
    typeof value === "number" && value >= minimum && value <= maximum ? undefined : mismatch(expected, shown(value));
}

/** The value may be absent. `null` is not absent. */
export function optional(of: Shape): Shape {
  return (value) => (value === undefined ? undefined : of(value));
}

/** The value may be null. */
export function nullable(of: Shape): Shape {
  return (value) => (value === null ? undefined : of(value));
}

export function array(of: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return mismatch("array", kindOf(value));
    for (let index = 0; index < value.length; index++) {
      const fault = of(value[index]);
      if (fault) return within(index, fault);
    }
    return undefined;
  };
}

/** A single value of one shape, or an array of another. */
export function oneOrMany(one: Shape, item: Shape = one): Shape {
  const many = array(item);
  return (value) => (Array.isArray(value) ? many(value) : one(value));
}

/** An object whose own values all have one shape. */
export function record(of: Shape): Shape {
  return (value) => {
    if (!isJsonObject(value)) return mismatch("object", kindOf(value));
    for (const key of Object.keys(value)) {
      const fault = of(value[key]);
      if (fault) return within(key, fault);
    }
    return undefined;
  };
}

/** A shape for every field of an interface. */
export type Fields<T> = { readonly [K in keyof T]-?: Shape };

/**
 * An object with the fields of `T`; naming `T` makes the compiler demand a shape for each.
 * @throws {TypeError} for a field that every object inherits, such as `constructor`: fields are read without asking who
 * owns them, which is fast and sound for all other names.
 */
export function object<T extends object>(fields: Fields<T>): Shape {
  const keys = Object.keys(fields);
  // `Fields<T>` holds a shape under each of its keys, which `Object.values` cannot know of a generic type.
  const shapes = Object.values(fields) as Shape[];
  const inherited = keys.find((key) => key in Object.prototype);
  if (inherited !== undefined) throw new TypeError(`A shape cannot have a field named ${quote(inherited)}.`);
  return (value) => {
    if (!isJsonObject(value)) return mismatch("object", kindOf(value));
    let index = 0;
    for (const shape of shapes) {
      // Both arrays come from the same fields, in the same order.
      const key = keys[index++] as string;
      const fault = shape(value[key]);
      if (fault) return within(key, fault);
    }
    return undefined;
  };
}

/** An object whose shape is chosen by the string in one of its fields; `absent` applies where the field is missing. */
export function tagged(key: string, variants: { readonly [tag: string]: Shape }, absent?: Shape): Shape {
  const byTag: ReadonlyMap<unknown, Shape> = new Map(Object.entries(variants));
  const expected = listed(Object.keys(variants).map(quote));
  return (value) => {
    if (!isJsonObject(value)) return mismatch("object", kindOf(value));
    const tag = value[key];
    const variant = tag === undefined ? absent : byTag.get(tag);
    return variant ? variant(value) : within(key, mismatch(expected, shown(tag)));
  };
}

/** An object whose shape is chosen by which field it has; the first field listed that is there decides. */
export function distinguished(variants: { readonly [field: string]: Shape }): Shape {
  const entries = Object.entries(variants);
  const expected = `object with ${listed(Object.keys(variants).map(quote))}`;
  return (value) => {
    if (!isJsonObject(value)) return mismatch("object", kindOf(value));
    for (const [field, variant] of entries) if (value[field] !== undefined) return variant(value);
    return mismatch(expected, "one without");
  };
}

function mismatch(expected: string, got: string): Fault {
  return { path: [], expected, got };
}

function within(key: string | number, fault: Fault): Fault {
  fault.path.unshift(key);
  return fault;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** The value itself where its kind alone would not explain the fault. */
function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? quote(value) : kindOf(value);
}

function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join() : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
}
