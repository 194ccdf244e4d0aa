/** Where a result lies in the cache: a group for whatever one change makes stale, and in it a key for each request. */
import type { CacheScope } from "../protocol/caching.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { findRequest } from "../protocol/method-table.js";
import type { Revision } from "../protocol/revisions.js";
import { serializeJson } from "../wire/json-text.js";

/** A request as the cache sees it: before the era has put its own fields into `_meta`. */
export interface CacheQuery {
  readonly revision: Revision;
  readonly method: string;
  readonly params: JsonObject;
}

/** On whose behalf a request is made, as far as its answer may depend on it. */
export interface CacheOwner {
  /** Which server is asked. */
  readonly server: string;
  /** Under which authorization; undefined where that is not known, and nothing private may be read or kept. */
  readonly authorization: string | undefined;
  /** What the client declares: a server may answer by it. */
  readonly declared: string;
}

export interface CacheAddress {
  readonly group: string;
  readonly keys: Readonly<Record<CacheScope, string | undefined>>;
}

/** What a request says beside its question, and what no answer depends on. */
const BESIDE_THE_QUESTION: ReadonlySet<string> = new Set([
  MetaKey.progressToken,
  MetaKey.logLevel,
  MetaKey.traceparent,
  MetaKey.tracestate,
  MetaKey.baggage,
]);

const LISTS_CHANGED_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ["notifications/tools/list_changed", ["tools/list"]],
  ["notifications/prompts/list_changed", ["prompts/list"]],
  ["notifications/resources/list_changed", ["resources/list", "resources/templates/list"]],
]);

/** Whether the answer may be kept: what depends on a user's input is not told apart by any key. */
export function isKeepable({ revision, method, params }: CacheQuery): boolean {
  if (findRequest(revision, "client", method)?.cacheable !== true) return false;
  return params.inputResponses === undefined && params.requestState === undefined;
}

/** @throws {SdkError} `invalid-argument` for params that JSON cannot express. */
export function addressOf({ revision, method, params }: CacheQuery, owner: CacheOwner): CacheAddress {
  const { _meta, ...asked } = params;
  // Another order of keys makes another entry: that costs a request, and never serves an answer to something else.
  const key = (authorization: string | null) =>
    serializeJson([authorization, revision, owner.declared, asked, ownMeta(_meta)]);
  const group = method === "resources/read" ? resourceGroup(owner.server, asked.uri) : listGroup(owner.server, method);
  const { authorization } = owner;
  return { group, keys: { public: key(null), private: authorization === undefined ? undefined : key(authorization) } };
}

/** The groups that a notification makes stale, for whomever they were kept. */
export function groupsChangedBy(server: string, method: string, params: JsonObject): readonly string[] {
  if (method === "notifications/resources/updated") return [resourceGroup(server, params.uri)];
  return (LISTS_CHANGED_BY.get(method) ?? []).map((list) => listGroup(server, list));
}

function listGroup(server: string, method: string): string {
  return serializeJson([server, method]);
}

function resourceGroup(server: string, uri: unknown): string {
  return serializeJson([server, "resources/read", uri]);
}

/** A caller's own `_meta` may change the answer, so it is part of the question. */
function ownMeta(meta: unknown): JsonObject {
  if (!isJsonObject(meta)) return {};
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !BESIDE_THE_QUESTION.has(key)));
}

type Headers = Readonly<Record<string, string>>;

/** Headers that no server authorizes by. Any other header may bear a credential, so it counts. */
const BEARS_NO_CREDENTIAL: ReadonlySet<string> = new Set([
  "user-agent",
  "traceparent",
  "tracestate",
  "baggage",
  "x-request-id",
  "x-correlation-id",
]);

/** Two requests without any such header have the same identity. */
const ANONYMOUS = "anonymous";

/**
 * @param layers headers of the connection and of the call; later ones replace earlier ones
 * @param salt a secret, so that no store can guess a weak credential from its digest
 */
export async function requestIdentity(layers: readonly Headers[], salt: string): Promise<string> {
  // Of entries with one name the last stays.
  const fields = layers.flatMap((layer) => Object.entries(layer).map(([name, value]) => [name.toLowerCase(), value]));
  const telling = Object.entries(Object.fromEntries(fields))
    .filter(([name]) => !BEARS_NO_CREDENTIAL.has(name))
    .sort();
  return telling.length === 0 ? ANONYMOUS : digest(JSON.stringify([salt, telling]));
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
