import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import type { SdkError } from "../errors/sdk-error.js";
import { ErrorCode } from "../protocol/error-codes.js";
import { MetaKey } from "../protocol/meta-keys.js";
import { LEGACY_REVISIONS, REVISIONS } from "../protocol/revisions.js";
import type { JsonObject } from "../runtime/json.js";
import type { ClientIdentity, Envelope } from "./era-codec.js";
import { legacyClientCodec, legacyServerCodec } from "./legacy-codec.js";
import { modernClientCodec, modernServerCodec, namesItsRevision } from "./modern-codec.js";

const identity: ClientIdentity = {
  info: { name: "tester", version: "1.0.0" },
  capabilities: { sampling: {}, extensions: { "com.example/x": { on: true } } },
};
const stamp = modernClientCodec.requestStamp("2026-07-28", identity);
const serverStamp = modernServerCodec.resultStamp({ name: "server", version: "2.0.0" });
const session: Envelope = {
  revision: "2025-06-18",
  era: "legacy",
  clientInfo: identity.info,
  clientCapabilities: identity.capabilities,
};

/** Params and results as callers write them: any JSON object, with or without `_meta` of their own. */
const anyObject = fc
  .record(
    {
      _meta: fc.dictionary(fc.string(), fc.jsonValue()),
      name: fc.string(),
      arguments: fc.dictionary(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  )
  .map((value): JsonObject => ({ ...value }));

function refusal(params: JsonObject | undefined): ProtocolError {
  try {
    modernServerCodec.decodeRequest(params, REVISIONS, undefined);
  } catch (error) {
    if (error instanceof ProtocolError) return error;
  }
  throw new Error("expected the request to be refused");
}

function metaWith(changes: JsonObject): JsonObject {
  return { _meta: { ...stamp, ...changes } };
}

describe("the modern codec", () => {
  it("keeps a member __proto__ as a member", () => {
    const encoded = modernClientCodec.encodeRequest(JSON.parse('{"__proto__":{"a":1},"name":"x"}'), stamp);
    expect(Object.getPrototypeOf(encoded)).toBe(Object.prototype);
    expect(Object.keys(encoded ?? {})).toEqual(["__proto__", "name", "_meta"]);
  });

  it("round-trips a request: the sender is read back and nothing of the caller's is lost", () => {
    fc.assert(
      fc.property(anyObject, (params) => {
        const encoded = modernClientCodec.encodeRequest(params, stamp);
        expect(modernServerCodec.decodeRequest(encoded, REVISIONS, undefined)).toEqual({
          revision: "2026-07-28",
          era: "modern",
          clientInfo: identity.info,
          clientCapabilities: identity.capabilities,
        });
        expect(encoded).toEqual({ ...params, _meta: { ...(params._meta as JsonObject | undefined), ...stamp } });
      }),
    );
  });

  it("round-trips a result: what the handler returned comes back with the stamps beside it", () => {
    fc.assert(
      fc.property(anyObject, (result) => {
        const encoded = modernServerCodec.encodeResult(result, "2026-07-28", serverStamp, undefined);
        expect(modernClientCodec.decodeResult("tools/call", encoded)).toEqual({
          ...result,
          resultType: "complete",
          _meta: { ...(result._meta as JsonObject | undefined), ...serverStamp },
        });
      }),
    );
  });

  it("stamps params that are not there", () => {
    expect(modernClientCodec.encodeRequest(undefined, stamp)).toEqual({ _meta: stamp });
  });

  it("lets the protocol's keys win over the caller's", () => {
    const encoded = modernClientCodec.encodeRequest({ _meta: { [MetaKey.protocolVersion]: "mine", own: 1 } }, stamp);
    expect(encoded?._meta).toEqual({ own: 1, ...stamp });
  });

  it("adds cache hints where they are given, and leaves a result's own", () => {
    const hint = { ttlMs: 5, cacheScope: "public" } as const;
    expect(modernServerCodec.encodeResult({}, "2026-07-28", serverStamp, hint)).toMatchObject(hint);
    expect(
      modernServerCodec.encodeResult({ ttlMs: 0, cacheScope: "private" }, "2026-07-28", serverStamp, hint),
    ).toMatchObject({
      ttlMs: 0,
      cacheScope: "private",
    });
  });

  it.each([
    ["no params", undefined, "params._meta"],
    ["no _meta", {}, "params._meta"],
    ["no revision", metaWith({ [MetaKey.protocolVersion]: undefined }), MetaKey.protocolVersion],
    ["a revision that is no string", metaWith({ [MetaKey.protocolVersion]: 7 }), MetaKey.protocolVersion],
    ["no capabilities", metaWith({ [MetaKey.clientCapabilities]: undefined }), MetaKey.clientCapabilities],
    ["capabilities that are no object", metaWith({ [MetaKey.clientCapabilities]: [] }), MetaKey.clientCapabilities],
    ["a client without a name", metaWith({ [MetaKey.clientInfo]: { version: "1" } }), MetaKey.clientInfo],
  ])("refuses %s with -32602 and names the field", (_case, params, field) => {
    const error = refusal(params);
    expect(error.code).toBe(ErrorCode.invalidParams);
    expect(error.message).toContain(field);
  });

  it("serves a request that does not name its client", () => {
    const params = metaWith({ [MetaKey.clientInfo]: undefined });
    expect(modernServerCodec.decodeRequest(params, REVISIONS, undefined).clientInfo).toBeUndefined();
  });

  it("answers an unknown revision with everything it speaks", () => {
    const error = refusal(metaWith({ [MetaKey.protocolVersion]: "1900-01-01" }));
    expect(error.code).toBe(ErrorCode.unsupportedRevision);
    expect(error.data).toEqual({ requested: "1900-01-01", supported: [...REVISIONS] });
  });

  it("does not list a legacy revision back to a request that named one", () => {
    const error = refusal(metaWith({ [MetaKey.protocolVersion]: "2025-11-25" }));
    expect(error.data).toEqual({ requested: "2025-11-25", supported: ["2026-07-28"] });
  });

  it("refuses a modern revision that this server was told not to speak", () => {
    expect(() => modernServerCodec.decodeRequest(metaWith({}), ["2025-11-25"], undefined)).toThrow(ProtocolError);
  });

  it("takes an absent resultType for complete and refuses a kind it does not know", () => {
    expect(modernClientCodec.decodeResult("tools/list", { tools: [] })).toEqual({ tools: [] });
    expect(() => modernClientCodec.decodeResult("tools/call", { resultType: "surprise" })).toThrow(
      expect.objectContaining({ code: "unknown-result-type" } satisfies Partial<SdkError>),
    );
  });

  it("tells a request that names its revision from one that does not", () => {
    expect(namesItsRevision({ _meta: stamp })).toBe(true);
    expect(namesItsRevision({ _meta: { progressToken: 1 } })).toBe(false);
    expect(namesItsRevision({ _meta: "x" })).toBe(false);
    expect(namesItsRevision(undefined)).toBe(false);
  });
});

describe("the legacy codec", () => {
  it("carries nothing of its own in either direction", () => {
    fc.assert(
      fc.property(anyObject, fc.constantFrom(...LEGACY_REVISIONS), (value, revision) => {
        const requestStamp = legacyClientCodec.requestStamp(revision, identity);
        expect(legacyClientCodec.encodeRequest(value, requestStamp)).toBe(value);
        const resultStamp = legacyServerCodec.resultStamp(identity.info);
        const encoded = legacyServerCodec.encodeResult(value, revision, resultStamp, {
          ttlMs: 1,
          cacheScope: "public",
        });
        expect(legacyClientCodec.decodeResult("tools/call", encoded)).toBe(value);
      }),
    );
  });

  it("serves a request under what the handshake settled", () => {
    expect(legacyServerCodec.decodeRequest({ name: "x" }, REVISIONS, session)).toBe(session);
  });

  it("refuses a request before the handshake and names both ways in", () => {
    expect(() => legacyServerCodec.decodeRequest({}, REVISIONS, undefined)).toThrow(/initialize.*_meta/);
  });
});
