/**
 * Extensions: what two sides add to the protocol under one identifier, as a value that both import. Who has one declares
 * it; extension-set.ts holds those of one side, and each side's gates lie in its own folder.
 */
import { SdkError } from "../errors/sdk-error.js";
import { describeIssues } from "../json-schema/index.js";
import { isMetaKey, isReservedMetaKey, MetaKey } from "../protocol/meta-keys.js";
import type { JsonObject } from "../runtime/json.js";
import type { JsonSchema, Schema, SchemaInput } from "../schema/schema.js";
import { validateNow, validatorOf } from "../schema/schema-validator.js";
import type { MethodDefinition, NotificationDefinition } from "./method-definition.js";
import type { ExtensionCall, ResultTypeDefinition } from "./result-type.js";

/** A `_meta` key that both sides know. */
export interface MetaKeyDefinition<Value extends Schema = Schema> {
  readonly key: string;
  readonly value: Value;
}

/** What happens to an extension's methods where the other side does not have it. Without one they are refused. */
export interface ExtensionFallback {
  /** `"serve"`: the server serves them to clients that did not declare the extension. */
  readonly server?: "serve" | undefined;
  /** Answers on the client, by other means than a method that the server does not have. */
  readonly client?: ((call: ExtensionCall) => object | Promise<object>) | undefined;
}

/** Everything about an extension but its identifier. */
export interface ExtensionConfig<ClientSettings extends Schema, ServerSettings extends Schema> {
  /** What a client says with its declaration; without it any object. */
  clientSettings?: ClientSettings;
  /** What a server says with its declaration; without it any object. */
  serverSettings?: ServerSettings;
  methods?: readonly MethodDefinition[];
  notifications?: readonly NotificationDefinition[];
  /** Modern only: legacy results have no kinds, so an extension with some is not declared there. */
  resultTypes?: readonly ResultTypeDefinition[];
  metaKeys?: readonly MetaKeyDefinition[];
  fallback?: ExtensionFallback;
}

/** An extension as one side declares it. */
export interface DeclaredExtension<Side extends "client" | "server"> {
  readonly side: Side;
  readonly extension: Extension;
  readonly settings: JsonObject;
}

/** An extension that both sides know. By itself it is declared without settings. */
export interface Extension<ClientSettings extends Schema = Schema, ServerSettings extends Schema = Schema> {
  readonly id: string;
  readonly clientSettings: ClientSettings | undefined;
  readonly serverSettings: ServerSettings | undefined;
  readonly methods: readonly MethodDefinition[];
  readonly notifications: readonly NotificationDefinition[];
  readonly resultTypes: readonly ResultTypeDefinition[];
  readonly metaKeys: readonly MetaKeyDefinition[];
  readonly fallback: ExtensionFallback;
  /** The extension as a client declares it with these settings. @throws {SdkError} `invalid-argument` */
  onClient(settings: SchemaInput<ClientSettings>): DeclaredExtension<"client">;
  /** The extension as a server declares it with these settings. @throws {SdkError} `invalid-argument` */
  onServer(settings: SchemaInput<ServerSettings>): DeclaredExtension<"server">;
}

/** Where the extensions of the specification's own authors live; other reserved prefixes are nobody's to use. */
const OFFICIAL = "io.modelcontextprotocol/";
const SPEC_KEYS: ReadonlySet<string> = new Set(Object.values(MetaKey));

/**
 * Defines an extension.
 * @throws {SdkError} `invalid-argument` for an identifier or a `_meta` key against the naming rules, `duplicate-name` for
 *   one thing defined twice.
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
  const { clientSettings, serverSettings, methods = [], notifications = [], resultTypes = [], metaKeys = [] } = config;
  checkName(id, `extension "${id}"`);
  for (const { key } of metaKeys) checkMetaKey(key, id);
  for (const schema of [clientSettings, serverSettings]) if (schema !== undefined) validatorOf(schema);
  refuseTwins(
    id,
    [...methods, ...notifications].map(({ method }) => method),
  );
  refuseTwins(
    id,
    resultTypes.map(({ resultType }) => resultType),
  );
  refuseTwins(
    id,
    metaKeys.map(({ key }) => key),
  );
  const extension: Extension<ClientSettings, ServerSettings> = Object.freeze({
    id,
    clientSettings,
    serverSettings,
    methods: [...methods],
    notifications: [...notifications],
    resultTypes: [...resultTypes],
    metaKeys: [...metaKeys],
    fallback: { ...config.fallback },
    onClient: (settings: SchemaInput<ClientSettings>) => declared("client", extension, settings),
    onServer: (settings: SchemaInput<ServerSettings>) => declared("server", extension, settings),
  });
  return extension;
}

/**
 * Defines a `_meta` key of an extension.
 * @throws {SdkError} `unusable-schema`; the extension checks the name.
 */
export function defineMetaKey<Value extends Schema>(key: string, value: Value): MetaKeyDefinition<Value> {
  validatorOf(value);
  return Object.freeze({ key, value });
}

/** The extension as this side declares it. @throws {SdkError} `invalid-argument` where it cannot do without settings. */
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
  // What was given goes over the wire, and the other side reads it by the same schema.
  return { side, extension, settings: settings as JsonObject };
}

/** Checks the identifiers of extensions that capabilities declare by hand. @throws {SdkError} `invalid-argument` */
export function checkDeclaredIds(extensions: object | undefined): void {
  for (const id of Object.keys(extensions ?? {})) checkName(id, `capabilities.extensions["${id}"]`);
}

/** What settings are where the extension does not say. */
export const ANY_OBJECT: JsonSchema = Object.freeze({ type: "object" });

function checkMetaKey(key: string, id: string): void {
  const owner = `extension "${id}": the _meta key "${key}"`;
  if (SPEC_KEYS.has(key)) throw new SdkError("invalid-argument", `${owner} is the specification's own`);
  checkName(key, owner);
  if (isReservedMetaKey(key) && !isReservedMetaKey(id)) {
    throw new SdkError("invalid-argument", `${owner} has a prefix that is reserved for official extensions`);
  }
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
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) throw new SdkError("duplicate-name", `extension "${id}" defines "${twin}" twice`);
}
