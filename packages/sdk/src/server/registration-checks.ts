/** Checks of registrations at runtime. The types say the same, but plain JavaScript has no compiler. */
import { checkWholeNumber } from "../errors/option-checks.js";
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError } from "../errors/sdk-error.js";
import type { CacheHint } from "../protocol/message-base.js";
import { metaComplaint } from "../protocol/meta-keys.js";
import { explain, type Shape } from "../protocol/shape.js";
import { isJsonObject } from "../runtime/json.js";
import { isLibrarySchema } from "../schema/standard-schema.js";
import type { ListVisibility } from "./list-filter.js";

/** The arguments of a registration after its name. */
export type ConfigAndHandler<Config, Context> =
  | readonly [handler: (args: never, context: Context) => unknown]
  | readonly [config: Config, handler: (args: never, context: Context) => unknown];

/** Splits the arguments into configuration and handler. The configuration is empty if it was left out. */
export function withConfig<Config extends object, Context>(
  given: ConfigAndHandler<Config, Context>,
): readonly [Config | object, (args: never, context: Context) => unknown] {
  if (typeof given[0] === "function") return [{}, given[0]];
  // Plain JavaScript may leave out the handler. `checkRegistration` refuses that.
  return given as readonly [Config, (args: never, context: Context) => unknown];
}

/** Names that other implementations use for configuration members, and the names here. */
const OTHER_NAMES = [
  ["inputSchema", "input"],
  ["outputSchema", "output"],
  ["argsSchema", "input"],
  ["_meta", "meta"],
] as const;

/**
 * Checks the arguments of a registration.
 * @param owner names the registration in error messages, such as `tool "add"`
 * @param form the valid call, such as `tool(name, { description, input }, handler)`
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
 * Refuses a schema in place of the configuration, or under other members than `input` and `output`.
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

/** Checks the listing of a registration. @throws {SdkError} `invalid-argument` with the path of the first fault */
export function checkListing(owner: string, listing: { readonly _meta?: unknown }, shape: Shape): void {
  const fault = shape(listing);
  const complaint = fault ? explain(fault, "config") : metaComplaint(listing._meta);
  if (complaint !== undefined) throw new SdkError("invalid-argument", `${owner}: ${complaint}`);
}

const SCOPE = /^[!#-[\]-~]{1,256}$/;

/** Clients request this scope to get a refresh token. No operation requires it. */
const OFFLINE_ACCESS = "offline_access";

/** Checks a list of scopes and removes duplicates. @throws {SdkError} `invalid-argument` for anything else. */
export function checkScopes(owner: string, scopes: unknown = []): readonly string[] {
  if (Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string" && SCOPE.test(scope))) {
    if (!scopes.includes(OFFLINE_ACCESS)) return Object.freeze([...new Set(scopes)]);
    const advice = `${OFFLINE_ACCESS} is for clients to ask for, no requirement of a server; leave it out`;
    throw new SdkError("invalid-argument", `${owner}: scopes: ${advice}`);
  }
  const complaint = "expected a list of scopes, each without spaces, quotes and backslashes";
  throw new SdkError("invalid-argument", `${owner}: scopes: ${complaint}; write scopes: ["files:read"]`);
}

/** @throws {SdkError} `invalid-argument` */
export function checkListed(owner: string, listed: unknown = true): ListVisibility {
  // A function of the author's own is typed by the option.
  if (typeof listed === "boolean" || typeof listed === "function") return listed as ListVisibility;
  const complaint = `listed: expected true, false or a function of the context, got ${kindOf(listed)}`;
  throw new SdkError("invalid-argument", `${owner}: ${complaint}`);
}

function misused(owner: string, complaint: string, form: string): SdkError {
  return new SdkError("invalid-argument", `${owner}: ${complaint}; write ${form}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  return Array.isArray(value) ? "array" : typeof value;
}

const CACHE_HINT: OptionTable<CacheHint> = { ttlMs: true, cacheScope: "string" };

/** Checks a cache hint. @throws {SdkError} `invalid-argument` for an unknown member, or a `ttlMs` that is no whole number from 0. */
export function checkCacheHint(hint: CacheHint | undefined, owner: string): void {
  if (hint === undefined) return;
  checkOptions(`${owner}: cache`, hint, CACHE_HINT);
  if (hint.ttlMs !== undefined) checkWholeNumber(`${owner}: cache.ttlMs`, hint.ttlMs, 0);
}
