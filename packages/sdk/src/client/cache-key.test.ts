import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MetaKey } from "../protocol/meta-keys.js";
import type { JsonObject } from "../runtime/json.js";
import { addressOf, type CacheOwner, groupsChangedBy, isCacheableQuery } from "./cache-key.js";
import { NO_METHODS } from "./cache-set-up.fixture.js";

const revision = "2026-07-28";
const ada: CacheOwner = { server: "notes", authorization: "ada", declared: "{}" };
const address = (method: string, params: JsonObject = {}, owner = ada) =>
  addressOf({ revision, method, params }, owner);
const read = (uri: string) => address("resources/read", { uri });

describe("what may be kept", () => {
  const keepable = (method: string, params: JsonObject = {}) =>
    isCacheableQuery({ revision, method, params }, NO_METHODS);

  it("is discovery, the four lists and resources", () => {
    const methods = [
      ...["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"],
      ...["resources/read", "tools/call", "prompts/get", "completion/complete", "subscriptions/listen", "acme/list"],
    ];
    expect(methods.filter((method) => keepable(method))).toEqual(methods.slice(0, 6));
  });

  it.each(["inputResponses", "requestState"])("is nothing that was asked with %s", (field) => {
    expect(keepable("resources/read", { uri: "a:b", [field]: "" })).toBe(false);
  });
});

describe("the key of a result", () => {
  it("is none in private if nobody knows who is authorized", () => {
    expect(address("tools/list", {}, { ...ada, authorization: undefined }).keys).toEqual({
      public: address("tools/list").keys.public,
      private: undefined,
    });
  });

  it("is the same for the same question", () => {
    expect(address("tools/list", { cursor: "2" })).toEqual(address("tools/list", { cursor: "2" }));
    expect(address("tools/list", { cursor: undefined })).toEqual(address("tools/list"));
  });

  it.each<[string, ReturnType<typeof address>]>([
    ["cursor", address("tools/list", { cursor: "3" })],
    ["field of the caller's own", address("tools/list", { cursor: "2", folder: "x" })],
    ["_meta key of the caller's own", address("tools/list", { cursor: "2", _meta: { "acme/tenant": "x" } })],
    ["declaration of the client", address("tools/list", { cursor: "2" }, { ...ada, declared: '{"roots":{}}' })],
  ])("differs by %s, inside the group", (_what, other) => {
    const { group, keys } = address("tools/list", { cursor: "2" });
    expect(other.group).toBe(group);
    expect(Object.values(other.keys)).not.toContain(keys.public);
    expect(Object.values(other.keys)).not.toContain(keys.private);
  });

  it.each([MetaKey.progressToken, MetaKey.logLevel, "traceparent", "tracestate", "baggage"])(
    "does not differ by the %s of a request",
    (key) => {
      expect(address("tools/list", { _meta: { [key]: "x" } })).toEqual(address("tools/list"));
    },
  );

  it("differs by authorization for private results alone", () => {
    const own = address("tools/list");
    const other = address("tools/list", {}, { ...ada, authorization: "bob" });

    expect(other.keys.public).toBe(own.keys.public);
    expect(other.keys.private).not.toBe(own.keys.private);
  });

  it("never takes anybody's private results for public ones", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (authorization, cursor) => {
        const { keys } = address("tools/list", { cursor }, { ...ada, authorization });
        expect(keys.private).not.toBe(keys.public);
      }),
    );
  });
});

describe("the group of a result", () => {
  it("differs by server, method and the URI of a resource", () => {
    const groups = [
      address("tools/list"),
      address("prompts/list"),
      address("tools/list", {}, { ...ada, server: "mail" }),
      read("a:1"),
      read("a:2"),
    ].map(({ group }) => group);
    expect(new Set(groups).size).toBe(5);
  });

  it("cannot be forged by names that look like parts of another", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (uri, other, server) => {
        const owner = { ...ada, server };
        const group = address("resources/read", { uri }, owner).group;
        expect(group === address("resources/read", { uri: other }, owner).group).toBe(uri === other);
        expect(group).not.toBe(address("resources/list", {}, owner).group);
      }),
    );
  });

  it.each([
    ["notifications/tools/list_changed", [address("tools/list").group]],
    ["notifications/prompts/list_changed", [address("prompts/list").group]],
    [
      "notifications/resources/list_changed",
      [address("resources/list").group, address("resources/templates/list").group],
    ],
    ["notifications/resources/updated", [read("a:1").group]],
    ["notifications/message", []],
  ])("%s changes its own", (method, groups) => {
    expect(groupsChangedBy("notes", method, { uri: "a:1" }, NO_METHODS)).toEqual(groups);
  });
});
