/**
 * Extensions: additions to the protocol under one identifier, as a value that both sides import. extension-set.ts holds the
 * extensions of one side. server/extensions.ts and client/extensions.ts refuse extensions that the peer did not declare.
 */
import { checkOptions, type OptionTable } from "../errors/option-table.js";
import { SdkError, withErrorPrefix } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import type { NamedCapabilities } from "../protocol/capabilities.js";
import { isMetaKey, isReservedMetaKey, MetaKey } from "../protocol/meta-keys.js";
import { isSpecMethod } from "../protocol/method-table.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { JsonSchema, Schema, SchemaInput } from "../schema/schema.js";
import { validateNow, validatorOf } from "../schema/schema-validator.js";
import { serializeJson } from "../wire/json-text.js";
import type { ListenFilterDefinition } from "./listen-filter-definition.js";
import type { MethodDefinition, NotificationDefinition } from "./method-definition.js";
import type { AroundCall, ExtensionCall, ResultTypeDefinition } from "./result-type.js";

/** A `_meta` key that both sides know. */
export interface MetaKeyDefinition<Value extends Schema = Schema> {
  readonly key: string;
  readonly value: Value;
}

/** What happens to an extension's methods if the peer did not declare the extension. Without a fallback they are refused. */
export interface ExtensionFallback {
  /** `"serve"`: the server serves the methods to clients that did not declare the extension. @defaultValue they are refused */
  readonly server?: "serve" | undefined;
  /** Answers the call on the client if the server did not declare the extension. @defaultValue the call rejects */
  readonly client?: ((call: ExtensionCall) => object | Promise<object>) | undefined;
}

/** Everything about an extension but its identifier. */
export interface ExtensionConfig<ClientSettings extends Schema, ServerSettings extends Schema> {
  /** Schema of the settings that a client declares. @defaultValue any object */
  clientSettings?: ClientSettings;
  /** Schema of the settings that a server declares. @defaultValue any object */
  serverSettings?: ServerSettings;
  /** Requests that the extension defines. @defaultValue none */
  methods?: readonly MethodDefinition[];
  /** Notifications that the extension defines. @defaultValue none */
  notifications?: readonly NotificationDefinition[];
  /**
   * Results that the extension defines. Modern only: legacy results have no `resultType`, so an extension with result types is not
   * declared to legacy peers.
   * @defaultValue none
   */
  resultTypes?: readonly ResultTypeDefinition[];
  /** Keys of `_meta` that the extension defines. @defaultValue none */
  metaKeys?: readonly MetaKeyDefinition[];
  /** Modern only: filters of `subscriptions/listen`. Their notifications belong to the extension. @defaultValue none */
  listenFilters?: readonly ListenFilterDefinition[];
  /** Serves the methods without the extension on the other side. @defaultValue they are refused */
  fallback?: ExtensionFallback;
  /**
   * Functions that run on the client in place of its calls, by method, in every revision and whatever the server declared.
   * @defaultValue none
   */
  around?: { readonly [method: string]: AroundCall };
}

/** An extension as one side declares it. */
export interface DeclaredExtension<Side extends "client" | "server"> {
  readonly side: Side;
  readonly extension: Extension;
  readonly settings: JsonObject;
}

/** An extension that both sides know. Used by itself, it is declared without settings. */
export interface Extension<ClientSettings extends Schema = Schema, ServerSettings extends Schema = Schema> {
  readonly id: string;
  readonly clientSettings: ClientSettings | undefined;
  readonly serverSettings: ServerSettings | undefined;
  readonly methods: readonly MethodDefinition[];
  readonly notifications: readonly NotificationDefinition[];
  readonly resultTypes: readonly ResultTypeDefinition[];
  readonly metaKeys: readonly MetaKeyDefinition[];
  readonly listenFilters: readonly ListenFilterDefinition[];
  readonly fallback: ExtensionFallback;
  readonly around: { readonly [method: string]: AroundCall };
  /** The extension as a client declares it with these settings. @throws {SdkError} `invalid-argument` */
  onClient(settings: SchemaInput<ClientSettings>): DeclaredExtension<"client">;
  /** The extension as a server declares it with these settings. @throws {SdkError} `invalid-argument` */
  onServer(settings: SchemaInput<ServerSettings>): DeclaredExtension<"server">;
}

const OPTIONS: OptionTable<ExtensionConfig<Schema, Schema>> = {
  clientSettings: true,
  serverSettings: true,
  methods: "list",
  notifications: "list",
  resultTypes: "list",
  metaKeys: "list",
  listenFilters: "list",
  fallback: "object",
  around: "object",
};

const FALLBACK_OPTIONS: OptionTable<ExtensionFallback> = { server: "string", client: "function" };

/** The prefix of official extensions. Other reserved prefixes are refused. */
const OFFICIAL = "io.modelcontextprotocol/";
const SPEC_KEYS: ReadonlySet<string> = new Set(Object.values(MetaKey));

/**
 * Defines an extension.
 * @throws {SdkError} `invalid-argument` for an identifier or a `_meta` key against the naming rules, `duplicate-name` for
 *   a name that it defines twice.
 *
 * @example
 * const stations = defineMethod("acme/stations", { params: z.object({}), result: z.object({ count: z.number() }) });
 * const weather = defineExtension("com.example/weather", { methods: [stations] });
 * const server = new McpServer({ name: "weather", version: "1.0.0", extensions: [weather] });
 * server.handle(stations, () => ({ count: 3 }));
 */
export function defineExtension<ClientSettings extends Schema = JsonSchema, ServerSettings extends Schema = JsonSchema>(
  id: string,
  config: ExtensionConfig<ClientSettings, ServerSettings>,
): Extension<ClientSettings, ServerSettings> {
  checkOptions(`extension "${id}"`, config, OPTIONS);
  checkOptions(`extension "${id}": fallback`, config.fallback ?? {}, FALLBACK_OPTIONS);
  const { clientSettings, serverSettings, methods = [], resultTypes = [], metaKeys = [], listenFilters = [] } = config;
  const filtered = listenFilters.map(({ notification }) => notification);
  const { notifications: given = [] } = config;
  const implied = new Set([...filtered, ...methods.flatMap(({ changedBy = [] }) => changedBy)]);
  const notifications = [...given, ...[...implied].filter((notification) => !given.includes(notification))];
  checkName(id, `extension "${id}"`);
  for (const { key } of metaKeys) checkMetaKey(key, id);
  for (const { method } of methods) checkMoved(method, id);
  for (const schema of [clientSettings, serverSettings]) if (schema !== undefined) validatorOf(schema);
  const named = [
    [...methods, ...notifications].map(({ method }) => method),
    resultTypes.map(({ resultType }) => resultType),
    metaKeys.map(({ key }) => key),
    listenFilters.map(({ name }) => name),
    // A client finds the filter of a notification by its method.
    filtered.map(({ method }) => method),
  ];
  for (const names of named) refuseTwins(id, names);
  const extension: Extension<ClientSettings, ServerSettings> = Object.freeze({
    id,
    clientSettings,
    serverSettings,
    methods: [...methods],
    notifications,
    resultTypes: [...resultTypes],
    metaKeys: [...metaKeys],
    listenFilters: [...listenFilters],
    fallback: { ...config.fallback },
    around: { ...config.around },
    onClient: (settings: SchemaInput<ClientSettings>) => declared("client", extension, settings),
    onServer: (settings: SchemaInput<ServerSettings>) => declared("server", extension, settings),
  });
  return extension;
}

/**
 * Defines a `_meta` key of an extension. `defineExtension` checks its name.
 * @throws {SdkError} `unusable-schema`
 *
 * @example
 * const region = defineMetaKey("com.example/region", z.string());
 * server.extend(defineExtension("com.example/regions", { metaKeys: [region] }));
 */
export function defineMetaKey<Value extends Schema>(key: string, value: Value): MetaKeyDefinition<Value> {
  validatorOf(value);
  return Object.freeze({ key, value });
}

/** The extension as one side declares it. @throws {SdkError} `invalid-argument` for missing or wrong settings. */
export function declared<Side extends "client" | "server">(
  side: Side,
  extension: Extension,
  settings: unknown,
): DeclaredExtension<Side> {
  const owner = `extension "${extension.id}"`;
  const schema = side === "client" ? extension.clientSettings : extension.serverSettings;
  const checked = validateNow(schema ?? ANY_OBJECT, settings, owner);
  if (!checked.ok) {
    const fix = `give them with ${side === "client" ? "onClient" : "onServer"}(…)`;
    throw new SdkError("invalid-argument", `${owner}: ${describeIssues(checked.issues, "settings")}; ${fix}`);
  }
  // The settings are sent as given, not as parsed: the peer parses them by the same schema.
  return { side, extension, settings: settings as JsonObject };
}

/** Checks the extensions that capabilities declare by hand. @throws {SdkError} `invalid-argument` */
export function checkDeclaredByHand(extensions: NamedCapabilities): void {
  if (!isJsonObject(extensions)) {
    const complaint = 'expected an object, as in { "com.example/weather": {} }';
    throw new SdkError("invalid-argument", `capabilities.extensions: ${complaint}`);
  }
  for (const [id, settings] of Object.entries(extensions)) {
    const owner = `capabilities.extensions["${id}"]`;
    checkName(id, owner);
    if (!isJsonObject(settings)) {
      throw new SdkError("invalid-argument", `${owner}: expected an object of settings; write {} for none`);
    }
    withErrorPrefix(owner, () => serializeJson(settings));
  }
}

/** The schema of settings for an extension without one. */
export const ANY_OBJECT: JsonSchema = Object.freeze({ type: "object" });

function checkMetaKey(key: string, id: string): void {
  const owner = `extension "${id}": the _meta key "${key}"`;
  if (SPEC_KEYS.has(key)) throw new SdkError("invalid-argument", `${owner} is the specification's own`);
  checkName(key, owner);
  if (isReservedMetaKey(key) && !isReservedMetaKey(id)) {
    throw new SdkError("invalid-argument", `${owner} has a prefix that is reserved for official extensions`);
  }
}

/** Methods that a legacy revision of the specification has too belong to official extensions. */
function checkMoved(method: string, id: string): void {
  if (!isSpecMethod(method) || isReservedMetaKey(id)) return;
  const complaint = `${method} has moved from the specification to an official extension; choose another name`;
  throw new SdkError("invalid-argument", `extension "${id}": ${complaint}`);
}

function checkName(name: string, owner: string): void {
  if (!isMetaKey(name) || !name.includes("/") || name.endsWith("/")) {
    throw new SdkError(
      "invalid-argument",
      `${owner}: expected a reversed domain and a name, as in com.example/weather`,
    );
  }
  if (isReservedMetaKey(name) && !name.startsWith(OFFICIAL)) {
    throw new SdkError("invalid-argument", `${owner}: its prefix is reserved; official ones are under ${OFFICIAL}`);
  }
}

function refuseTwins(id: string, names: readonly string[]): void {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new SdkError("duplicate-name", `extension "${id}" defines "${duplicate}" twice`);
}
