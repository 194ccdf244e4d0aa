/**
 * A validator for JSON Schema 2020-12, written for the checker alone: the judge shares no code with the judged. Schemas that it
 * does not understand are not decided: dynamic and remote references, unevaluated members, keywords of other dialects.
 */
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { runWithin } from "../wire/time-limit.js";

/** Thrown for a schema that cannot be decided here. */
export class SchemaNotUnderstood extends Error {
  override readonly name = "SchemaNotUnderstood";
}

const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/;
const NOT_UNDERSTOOD = ["$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems", "dependencies"];
const MAX_STEPS = 100_000;
const MAX_DEPTH = 200;
/** A pattern of the server may take years. */
const MAX_TIME_MS = 1_000;

/**
 * What is wrong with a value, with the place, or `undefined`.
 * @throws {SchemaNotUnderstood}
 */
export function schemaFault(schema: unknown, value: unknown): string | undefined {
  try {
    return runWithin(MAX_TIME_MS, () => new Validation(schema).fault(schema, value, ""));
  } catch (error) {
    throw error instanceof SchemaNotUnderstood ? error : new SchemaNotUnderstood("it takes too long", { cause: error });
  }
}

class Validation {
  readonly #root: unknown;
  #steps = 0;
  #depth = 0;

  constructor(root: unknown) {
    this.#root = root;
    const dialect = isObject(root) ? root.$schema : undefined;
    if (dialect !== undefined && !DIALECTS.test(String(dialect))) throw new SchemaNotUnderstood(`$schema ${dialect}`);
  }

  fault(schema: unknown, value: unknown, at: string): string | undefined {
    this.#steps += 1;
    this.#depth += 1;
    if (this.#steps > MAX_STEPS || this.#depth > MAX_DEPTH) throw new SchemaNotUnderstood("it takes too many steps");
    const fault = this.#faultOf(schema, value, at);
    this.#depth -= 1;
    return fault;
  }

  #faultOf(schema: unknown, value: unknown, at: string): string | undefined {
    if (schema === true) return undefined;
    if (schema === false) return `${at || "the value"} is not allowed`;
    if (!isObject(schema)) throw new SchemaNotUnderstood("a schema is no object");
    const foreign = NOT_UNDERSTOOD.find((keyword) => keyword in schema);
    if (foreign !== undefined) throw new SchemaNotUnderstood(foreign);
    return (
      this.#referenceFault(schema, value, at) ??
      valueFault(schema, value, at) ??
      this.#objectFault(schema, value, at) ??
      this.#listFault(schema, value, at) ??
      this.#combinationFault(schema, value, at)
    );
  }

  #referenceFault({ $ref }: JsonObject, value: unknown, at: string): string | undefined {
    return $ref === undefined ? undefined : this.fault(this.#resolve(String($ref)), value, at);
  }

  #resolve(reference: string): unknown {
    if (!/^#(\/.*)?$/.test(reference) || hasNestedId(this.#root)) throw new SchemaNotUnderstood(`$ref ${reference}`);
    const steps = decodeURIComponent(reference.slice(1)).split("/").slice(1);
    return steps.reduce((found: unknown, step) => {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(found)) return found[Number(name)];
      if (isObject(found) && Object.hasOwn(found, name)) return found[name];
      throw new SchemaNotUnderstood(`$ref ${reference}`);
    }, this.#root);
  }

  #objectFault(schema: JsonObject, value: unknown, at: string): string | undefined {
    if (!isObject(value)) return undefined;
    const names = Object.keys(value);
    const properties = mapOf(schema.properties);
    const patterns = Object.entries(mapOf(schema.patternProperties)).map(
      ([pattern, inner]) => [toPattern(pattern), inner] as const,
    );
    const missing = listOf(schema.required).find((name) => !Object.hasOwn(value, String(name)));
    if (missing !== undefined) return `${at || "the value"} lacks ${missing}`;
    for (const name of names) {
      const member = `${at}.${name}`;
      const inner = [
        ...(Object.hasOwn(properties, name) ? [properties[name]] : []),
        ...patterns.filter(([pattern]) => pattern.test(name)).map(([, found]) => found),
      ];
      const others = schema.additionalProperties;
      const applied = inner.length === 0 && others !== undefined ? [others] : inner;
      const fault =
        this.#first(applied, value[name], member) ??
        (schema.propertyNames === undefined ? undefined : this.fault(schema.propertyNames, name, member));
      if (fault !== undefined) return fault;
    }
    for (const [name, lacking] of Object.entries(mapOf(schema.dependentRequired))) {
      const absent = Object.hasOwn(value, name)
        ? listOf(lacking).find((other) => !Object.hasOwn(value, String(other)))
        : undefined;
      if (absent !== undefined) return `${at || "the value"} lacks ${absent}`;
    }
    const dependents = Object.entries(mapOf(schema.dependentSchemas)).filter(([name]) => Object.hasOwn(value, name));
    return (
      this.#first(
        dependents.map(([, inner]) => inner),
        value,
        at,
      ) ?? countFault(names.length, schema.minProperties, schema.maxProperties, `${at} members`)
    );
  }

  #listFault(schema: JsonObject, value: unknown, at: string): string | undefined {
    if (!Array.isArray(value)) return undefined;
    if (Array.isArray(schema.items)) throw new SchemaNotUnderstood("items that is a list");
    const prefix = listOf(schema.prefixItems);
    for (const [index, item] of value.entries()) {
      const inner = index < prefix.length ? prefix[index] : (schema.items ?? true);
      const fault = this.fault(inner, item, `${at}[${index}]`);
      if (fault !== undefined) return fault;
    }
    if (schema.uniqueItems === true && new Set(value.map(canonical)).size < value.length)
      return `${at} repeats an item`;
    if (schema.contains !== undefined) {
      const found = value.filter((item) => this.fault(schema.contains, item, at) === undefined).length;
      const fault = countFault(found, schema.minContains ?? 1, schema.maxContains, `${at} matches`);
      if (fault !== undefined) return fault;
    }
    return countFault(value.length, schema.minItems, schema.maxItems, `${at} items`);
  }

  #combinationFault(schema: JsonObject, value: unknown, at: string): string | undefined {
    const fits = (inner: unknown) => this.fault(inner, value, at) === undefined;
    const all = this.#first(listOf(schema.allOf), value, at);
    if (all !== undefined) return all;
    if (Array.isArray(schema.anyOf) && !schema.anyOf.some(fits)) return `${at || "the value"} fits none of anyOf`;
    if (Array.isArray(schema.oneOf) && schema.oneOf.filter(fits).length !== 1)
      return `${at || "the value"} fails oneOf`;
    if (schema.not !== undefined && fits(schema.not)) return `${at || "the value"} fits not`;
    if (schema.if === undefined) return undefined;
    return this.fault((fits(schema.if) ? schema.then : schema.else) ?? true, value, at);
  }

  #first(schemas: readonly unknown[], value: unknown, at: string): string | undefined {
    for (const inner of schemas) {
      const fault = this.fault(inner, value, at);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
}

/** Keywords that look at the value alone. */
function valueFault(schema: JsonObject, value: unknown, at: string): string | undefined {
  const where = at || "the value";
  if (schema.type !== undefined && ![schema.type].flat().some((type) => hasType(value, type)))
    return `${where} is no ${[schema.type].flat().join(" or ")}`;
  if (Array.isArray(schema.enum) && !schema.enum.some((choice) => canonical(choice) === canonical(value)))
    return `${where} is none of the choices`;
  if ("const" in schema && canonical(schema.const) !== canonical(value)) return `${where} is another value`;
  if (typeof value === "number") return numberFault(schema, value, where);
  if (typeof value !== "string") return undefined;
  if (typeof schema.pattern === "string" && !toPattern(schema.pattern).test(value)) return `${where} fails its pattern`;
  return countFault([...value].length, schema.minLength, schema.maxLength, `${where} characters`);
}

function numberFault(schema: JsonObject, value: number, where: string): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const isIn =
    (typeof minimum !== "number" || value >= minimum) &&
    (typeof maximum !== "number" || value <= maximum) &&
    (typeof exclusiveMinimum !== "number" || value > exclusiveMinimum) &&
    (typeof exclusiveMaximum !== "number" || value < exclusiveMaximum);
  if (!isIn) return `${where} is out of range`;
  if (typeof multipleOf !== "number") return undefined;
  const quotient = value / multipleOf;
  if (!Number.isFinite(quotient)) throw new SchemaNotUnderstood("multipleOf of a number that large");
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 ? undefined : `${where} is no multiple of ${multipleOf}`;
}

function countFault(count: number, least: unknown, most: unknown, what: string): string | undefined {
  const isIn = (typeof least !== "number" || count >= least) && (typeof most !== "number" || count <= most);
  return isIn ? undefined : `${what.trim()}: ${count}`;
}

function hasType(value: unknown, type: unknown): boolean {
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  return typeof value === type;
}

function toPattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch {
    throw new SchemaNotUnderstood(`pattern ${pattern}`);
  }
}

/** Whether a part of a schema has a base of its own, which references would be relative to. */
function hasNestedId(root: unknown): boolean {
  return /[{,]"\$id":/.test(JSON.stringify(root).slice(1)) || (isObject(root) && "$id" in root);
}

/** JSON with the members of objects in order, to compare values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function mapOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
