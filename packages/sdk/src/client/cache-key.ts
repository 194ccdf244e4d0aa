/** Computes where a result is cached: the group that one change notification makes stale, and a key per request and identity. */
import type { CacheScope } from "../protocol/message-base.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { findRequest } from "../protocol/method-table.js";
import type { Revision } from "../protocol/revisions.js";
import { sha256Hex } from "../runtime/hexadecimal.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import { serializeJson } from "../wire/json-text.js";
import type { ClientExtensions } from "./extensions.js";

/** A request as the cache sees it, before the codec has added the fields of the era to `_meta`. */
export interface CacheQuery {
  readonly revision: Revision;
  readonly method: string;
  readonly params: JsonObject;
}

/** The identity of a request: the facts besides its params that its answer may depend on. */
export interface CacheOwner {
  /** The name of the server. */
  readonly server: string;
  /** The authorized user. Undefined if unknown: the cache then neither reads nor keeps private results. */
  readonly authorization: string | undefined;
  /** The client's capabilities, as JSON text: an answer may depend on them. */
  readonly declared: string;
}

export interface CacheAddress {
  readonly group: string;
  readonly keys: Readonly<Record<CacheScope, string | undefined>>;
}

/** The `_meta` keys that no answer depends on. */
const IGNORED_META_KEYS: ReadonlySet<string> = new Set([
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

/** The part of the client's extensions that says which of their methods are cacheable. */
export type CacheableMethods = Pick<ClientExtensions, "definitionOf" | "changedBy">;

/** Whether the result may be cached. A result that depends on user input may not, since keys do not cover that input. */
export function isCacheableQuery({ revision, method, params }: CacheQuery, methods: CacheableMethods): boolean {
  const spec = findRequest(revision, "client", method);
  if (!(spec ? spec.cacheable : methods.definitionOf(method)?.isCacheable)) return false;
  return params.inputResponses === undefined && params.requestState === undefined;
}

/** @throws {SdkError} `invalid-argument` for params that JSON cannot express. */
export function addressOf({ revision, method, params }: CacheQuery, owner: CacheOwner): CacheAddress {
  const { _meta, ...asked } = params;
  // The same params in another order of keys get another entry. That costs a request, but never serves a wrong result.
  const key = (authorization: string | null) =>
    serializeJson([authorization, revision, owner.declared, asked, ownMeta(_meta)]);
  const group = method === "resources/read" ? resourceGroup(owner.server, asked.uri) : listGroup(owner.server, method);
  const { authorization } = owner;
  return { group, keys: { public: key(null), private: authorization === undefined ? undefined : key(authorization) } };
}

/** The groups that a notification makes stale, for every identity. */
export function groupsChangedBy(
  server: string,
  method: string,
  params: JsonObject,
  methods: CacheableMethods,
): readonly string[] {
  if (method === "notifications/resources/updated") return [resourceGroup(server, params.uri)];
  return (LISTS_CHANGED_BY.get(method) ?? methods.changedBy(method)).map((list) => listGroup(server, list));
}

function listGroup(server: string, method: string): string {
  return serializeJson([server, method]);
}

function resourceGroup(server: string, uri: unknown): string {
  return serializeJson([server, "resources/read", uri]);
}

/** The caller's own `_meta` keys. They are part of the key, since they may change the answer. */
function ownMeta(meta: unknown): JsonObject {
  if (!isJsonObject(meta)) return {};
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !IGNORED_META_KEYS.has(key)));
}

type Headers = Readonly<Record<string, string>>;

/** Headers that never carry a credential. Any other header may carry one, so it is part of the identity. */
const HEADERS_WITHOUT_CREDENTIAL: ReadonlySet<string> = new Set([
  "user-agent",
  "traceparent",
  "tracestate",
  "baggage",
  "x-request-id",
  "x-correlation-id",
]);

/** The identity of requests whose headers carry no credential. */
const ANONYMOUS = "anonymous";

/**
 * Derives the identity of a request from its headers. The identity is a digest, since cache stores see it.
 * @param layers headers of the connection and of the call; later ones replace earlier ones
 * @param salt a secret, so that no store can guess a weak credential from its digest
 */
export async function requestIdentity(layers: readonly Headers[], salt: string): Promise<string> {
  // The last entry of a name wins.
  const fields = layers.flatMap((layer) => Object.entries(layer).map(([name, value]) => [name.toLowerCase(), value]));
  const telling = Object.entries(Object.fromEntries(fields))
    .filter(([name]) => !HEADERS_WITHOUT_CREDENTIAL.has(name))
    .sort();
  return telling.length === 0 ? ANONYMOUS : sha256Hex(JSON.stringify([salt, telling]));
}
