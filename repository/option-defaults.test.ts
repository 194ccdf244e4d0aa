/** Holds the doc comments of options: each says what applies without it. */
import { describe, expect, test } from "vitest";
import { lacksDefault, optionsOf } from "./option-defaults.js";
import { isTestFile, readTypeScript } from "./source-files.js";

/** Options that do not say so yet. An entry has to go as soon as its option does, or is gone. */
const TOLERATED: readonly string[] = [
  "AuthorizationServerOptions.autoApprove",
  "AuthorizationServerOptions.login",
  "AuthorizationServerOptions.users",
  "ClientRegistrationOptions.client",
  "ClientRegistrationOptions.clientMetadata",
  "ClientRegistrationOptions.clientMetadataUrl",
  "ClientRegistrationOptions.clientName",
  "DirectOptions.left",
  "DirectOptions.right",
  "DirectOptions.tap",
  "DispatcherOptions.hasSession",
  "DispatcherOptions.limits",
  "DispatcherOptions.onClosed",
  "DispatcherOptions.onError",
  "FileStoreOptions.onError",
  "HttpErrorOptions.cause",
  "HttpErrorOptions.retryAfterMs",
  "HttpErrorOptions.wwwAuthenticate",
  "HttpOptions.legacy",
  "HttpOptions.onExchange",
  "HttpOptions.onRefusal",
  "LegacyOptions.onSessionClosed",
  "LegacyOptions.onSessionOpened",
  "McpServerOptions.instructions",
  "McpServerOptions.limits",
  "McpServerOptions.requestState",
  "McpServerOptions.schemaLimits",
  "McpServerOptions.urlElicitations",
  "NodeHandlerOptions.caller",
  "ProtectedResourceOptions.dpop",
  "QuestionOptions.key",
  "QuestionOptions.signal",
  "RequestLimitOptions.bytes",
  "RequestLimitOptions.requests",
  "RequestLimitOptions.uncounted",
  "RequestOptions.connectionHeaders",
  "RequestOptions.headers",
  "RequestOptions.id",
  "RequestOptions.onProgress",
  "RequestOptions.signal",
  "ResponseWriterOptions.openStream",
  "SendOptions.connectionHeaders",
  "SendOptions.headers",
  "SendOptions.relatedTo",
  "StreamConnectionOptions.address",
  "StreamConnectionOptions.onFirstMessage",
];

describe("the options of the SDK", () => {
  const sources = readTypeScript("packages/sdk/src").filter(({ path }) => !isTestFile(path));
  const options = sources.flatMap(optionsOf);
  const lacking = options.filter(lacksDefault);

  test("are found", () => {
    expect(options.length).toBeGreaterThan(200);
  });

  test("have a @defaultValue, which is `none` where nothing applies without them", () => {
    const untold = lacking.filter(({ name }) => !TOLERATED.includes(name));
    expect(untold.map(({ path, name }) => `${path}: ${name} has no @defaultValue`)).toEqual([]);
  });

  test("are tolerated without one only while they lack it", () => {
    const names = lacking.map(({ name }) => name);
    expect(TOLERATED.filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe("reading options", () => {
  const lackingIn = (text: string) =>
    optionsOf({ path: "a.ts", text })
      .filter(lacksDefault)
      .map(({ name }) => name);

  test("finds the optional members of an exported type whose name ends in Options", () => {
    const text = `export interface AOptions {
      /** Items. @defaultValue 5 */
      readonly maxItems?: number | undefined;
      /**
       * Name.
       * @defaultValue none
       */
      name?: string;
      /** Told. */
      readonly onError?: () => void;
      close?(): void;
      required: number;
    }
    interface BOptions { a?: number }
    export interface Other { a?: number }`;
    expect(lackingIn(text)).toEqual(["AOptions.onError", "AOptions.close"]);
  });

  test("follows unions and intersections", () => {
    const text = "export type AOptions = BOptions & ({ a?: number } | { /** @defaultValue 1 */ b?: number });";
    expect(lackingIn(text)).toEqual(["AOptions.a"]);
  });

  test("an empty tag is no default, nor is the comment of another member", () => {
    const text = `export interface AOptions { /** Items. @defaultValue */ a?: number;
      /** @defaultValue 1 */ b?: number; c?: number }`;
    expect(lackingIn(text)).toEqual(["AOptions.a", "AOptions.c"]);
  });
});
