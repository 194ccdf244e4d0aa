/** Checks of what authors register. Types say the same, but authors of plain JavaScript have no compiler. */
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/caching.js";
import { metaComplaint } from "../protocol/meta-keys.js";
import { explain, type Shape } from "../protocol/shape.js";
import { isJsonObject } from "../runtime/json.js";
import { isLibrarySchema } from "../schema/standard-schema.js";

/** The arguments of a registration after its name. */
export type ConfigAndHandler<Config, Context> =
  | readonly [handler: (args: never, context: Context) => unknown]
  | readonly [config: Config, handler: (args: never, context: Context) => unknown];

/** The configuration, empty if there is none, and the handler. */
export function withConfig<Config extends object, Context>(
  given: ConfigAndHandler<Config, Context>,
): readonly [Config | object, (args: never, context: Context) => unknown] {
  if (typeof given[0] === "function") return [{}, given[0]];
  // Authors of plain JavaScript may leave out the handler, which `checkRegistration` refuses.
  return given as readonly [Config, (args: never, context: Context) => unknown];
}

/** What other implementations call a member of a configuration, and its name here. */
const OTHER_NAMES = [
  ["inputSchema", "input"],
  ["outputSchema", "output"],
  ["argsSchema", "input"],
  ["_meta", "meta"],
] as const;

/**
 * Checks the arguments of a registration.
 * @param owner what is registered, such as `tool "add"`
 * @param form how the call is written, such as `tool(name, { description, input }, handler)`
 * @throws {SdkError} `invalid-argument`
 */
export function checkRegistration(owner: string, form: string, config: unknown, handler: unknown): void {
  if (!isJsonObject(config)) throw misused(owner, `expected a configuration object, got ${kindOf(config)}`, form);
  if (typeof handler !== "function") throw misused(owner, `expected a handler, got ${kindOf(handler)}`, form);
  for (const [other, ours] of OTHER_NAMES) {
    if (Object.hasOwn(config, other)) throw misused(owner, `"${other}" is called "${ours}" here`, form);
  }
}

/**
 * Refuses schemas beside `input` and `output`, where other implementations take them.
 * @throws {SdkError} `invalid-argument`
 */
export function refuseStraySchemas(owner: string, form: string, config: object): void {
  const stray = isLibrarySchema(config)
    ? "config"
    : Object.entries(config)
        .filter(([name, value]) => name !== "input" && name !== "output" && isLibrarySchema(value))
        .map(([name]) => `config.${name}`)[0];
  if (stray !== undefined) throw misused(owner, `${stray} is a schema: put it under input: z.object({ … })`, form);
}

/** Checks what a registration lists. @throws {SdkError} `invalid-argument` with the path of the first fault */
export function checkListing(owner: string, listing: { readonly _meta?: unknown }, shape: Shape): void {
  const fault = shape(listing);
  const complaint = fault ? explain(fault, "config") : metaComplaint(listing._meta);
  if (complaint !== undefined) throw new SdkError("invalid-argument", `${owner}: ${complaint}`);
}

const SCOPE = /^[!#-[\]-~]{1,256}$/;

/** Brings a refresh token, which no operation needs. */
const OFFLINE_ACCESS = "offline_access";

/** The scopes of a registration, or of a handler. @throws {SdkError} `invalid-argument` for what is no list of scopes. */
export function checkScopes(owner: string, scopes: unknown = []): readonly string[] {
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string" && SCOPE.test(scope))) {
    if (!scopes.includes(OFFLINE_ACCESS)) return Object.freeze([...new Set(scopes)]);
    const advice = `${OFFLINE_ACCESS} is for clients to ask for, no requirement of a server; leave it out`;
    throw new SdkError("invalid-argument", `${owner}: scopes: ${advice}`);
  }
  const complaint = "expected a list of scopes, each without spaces, quotes and backslashes";
  throw new SdkError("invalid-argument", `${owner}: scopes: ${complaint}; write scopes: ["files:read"]`);
}

function misused(owner: string, complaint: string, form: string): SdkError {
  return new SdkError("invalid-argument", `${owner}: ${complaint}; write ${form}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "array" : typeof value;
}

/** @throws {SdkError} `invalid-argument` for a time that no client could follow. */
export function checkCacheHint(hint: CacheHint | undefined, owner: string): void {
  const ttlMs = hint?.ttlMs ?? 0;
  if (Number.isSafeInteger(ttlMs) && ttlMs >= 0) return;
  throw new SdkError("invalid-argument", `${owner}: cache.ttlMs: expected a whole number from 0, got ${ttlMs}`);
}
