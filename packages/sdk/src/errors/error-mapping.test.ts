import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromWireError, mapError } from "./error-mapping.js";
import { ProtocolError } from "./protocol-error.js";
import { SdkError } from "./sdk-error.js";

const opaque = { code: -32603, message: "Internal error" };

describe("mapError", () => {
  it("keeps code, message and data of a protocol error and reports nothing", () => {
    const thrown = new ProtocolError(-32602, "params.name: expected string", { data: { a: 1 }, cause: new Error("x") });
    expect(mapError(thrown, "tools/call")).toEqual({
      wire: { code: -32602, message: "params.name: expected string", data: { a: 1 } },
      report: undefined,
    });
  });

  it("leaves data out where there is none, and keeps null", () => {
    expect(mapError(new ProtocolError(1, "a"), "m").wire).not.toHaveProperty("data");
    expect(mapError(new ProtocolError(1, "a", { data: null }), "m").wire.data).toBeNull();
  });

  it("does not take a deliberate -32603 for a crash", () => {
    const mapped = mapError(new ProtocolError(-32603, "The database is down"), "m");
    expect(mapped).toEqual({ wire: { code: -32603, message: "The database is down" }, report: undefined });
  });

  it.each([
    new Error("/etc/secret"),
    new SdkError("request-timeout", "secret"),
    new ProtocolError(Number.NaN, "secret"),
    new ProtocolError(1.5, "secret"),
    "secret",
    null,
    { code: -32602, message: "secret", data: "secret" },
  ])("tells the peer nothing of %s and reports it with its cause", (thrown) => {
    const { wire, report } = mapError(thrown, "tools/call");
    expect(wire).toEqual(opaque);
    expect(report).toMatchObject({ code: "handler-failed", cause: thrown });
    expect(report?.message).toContain("tools/call");
  });

  it("is total: whatever is thrown has an integer code and a text", () => {
    fc.assert(
      fc.property(fc.anything(), (thrown) => {
        expect(mapError(thrown, "m").wire).toEqual(opaque);
      }),
    );
  });
});

describe("an error received from a peer", () => {
  const received = fromWireError({ code: -32042, message: "Visit this page", data: { elicitations: [] } });

  it("is marked as received, and an error made here is not", () => {
    expect(received.isReceived).toBe(true);
    expect(new ProtocolError(received.code, received.message).isReceived).toBe(false);
  });

  it("is opaque to the next peer, and reported with its cause", () => {
    const { wire, report } = mapError(received, "tools/call");
    expect(wire).toEqual(opaque);
    expect(report).toMatchObject({ code: "handler-failed", cause: received });
    expect(report?.message).toContain("received from another peer");
  });

  it("passes once it is thrown anew", () => {
    const { code, message, data } = received;
    expect(mapError(new ProtocolError(code, message, { data, cause: received }), "m")).toEqual({
      wire: { code, message, data },
      report: undefined,
    });
  });
});

describe("fromWireError", () => {
  it("gives back what mapError took", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.jsonValue(), (code, message, data) => {
        const error = fromWireError(mapError(new ProtocolError(code, message, { data }), "m").wire);
        expect(error).toBeInstanceOf(ProtocolError);
        expect([error.code, error.message, error.data]).toEqual([code, message, data]);
      }),
    );
  });
});
