/** Reads the known fields of a metadata document, each by its kind and within limits. Other fields are dropped. */
import { isJsonObject, type JsonObject } from "../../runtime/json.js";
import { isSecureUrl } from "./loopback.js";

/**
 * `endpoint` is a URL that programs call or open, so an invalid one is refused. `link` is a URL for people: an invalid one is
 * dropped, since the document is usable without it.
 */
export type FieldKind = "string" | "strings" | "boolean" | "endpoint" | "endpoints" | "link" | "object";

/** Makes the error for a field. */
export type FieldError = (field: string, problem: string) => Error;

const MAX_CHARACTERS = 4_096;
const MAX_URL_CHARACTERS = 2_048;
const MAX_ITEMS = 1_000;

/**
 * Reads the fields that `kinds` names. Null counts as absent, since some servers write null for absent fields.
 * @throws the error that `fail` makes for the first field that is not of its kind.
 */
export function readFields(value: unknown, kinds: Readonly<Record<string, FieldKind>>, fail: FieldError): JsonObject {
  if (!isJsonObject(value)) throw fail("the document", "must be a JSON object");
  const fields = Object.entries(kinds).flatMap(([name, kind]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null) return [];
    const problem = problemOf(given, kind);
    if (problem === undefined) return [[name, given] as const];
    if (kind === "link") return [];
    throw fail(name, problem);
  });
  return Object.fromEntries(fields);
}

function problemOf(value: unknown, kind: FieldKind): string | undefined {
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be a boolean";
    case "string":
      return stringProblem(value);
    case "strings":
      return listProblem(value, stringProblem);
    case "object":
      return isJsonObject(value) ? undefined : "must be an object";
    case "endpoints":
      return listProblem(value, urlProblem);
    case "endpoint":
    case "link":
      return urlProblem(value);
  }
}

function stringProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  return value.length > MAX_CHARACTERS ? `must not be longer than ${MAX_CHARACTERS} characters` : undefined;
}

function listProblem(value: unknown, itemProblem: (item: unknown) => string | undefined): string | undefined {
  if (!Array.isArray(value)) return "must be an array";
  if (value.length > MAX_ITEMS) return `must not have more than ${MAX_ITEMS} items`;
  for (const [index, item] of value.entries()) {
    const problem = itemProblem(item);
    if (problem !== undefined) return `${problem} (item ${index})`;
  }
  return undefined;
}

/** Describes what is wrong with a URL. The description does not quote the value, which may be hostile. */
function urlProblem(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_CHARACTERS || !URL.canParse(value)) return "must be a URL";
  const url = new URL(value);
  if (!isSecureUrl(url)) return "must be an https URL, or an http URL on a loopback host";
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  return url.hash === "" ? undefined : "must not contain a fragment";
}
