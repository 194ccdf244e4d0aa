import { describe, expect, it, vi } from "vitest";
import type { InputRequest } from "../../protocol/input-required.js";
import { adaptToRevision } from "./question-rules.js";

const pageRequest = (url: string, elicitationId?: string): InputRequest => ({
  method: "elicitation/create",
  params: { mode: "url", message: "Sign in", url, elicitationId },
});
const HTTPS = ["https"];

describe("a page", () => {
  it.each(["https://example.com/", "http://localhost:1/", "http://a.localhost/", "http://127.9.9.9/", "http://[::1]/"])(
    "may be %s",
    (url) => expect(adaptToRevision(pageRequest(url), "2026-07-28", HTTPS)).toMatchObject({ params: { url } }),
  );

  it.each(["http://example.com/", "http://localhost.example/", "file:///etc", "no url", "ftp://localhost/"])(
    "must not be %s",
    (url) => {
      const refused = { code: "invalid-argument", message: expect.stringContaining(url) };
      expect(() => adaptToRevision(pageRequest(url), "2026-07-28", HTTPS)).toThrow(expect.objectContaining(refused));
    },
  );

  it("has an id in the legacy era alone", () => {
    const url = "https://example.com/";
    const idOf = (request: InputRequest) => (request.params && "elicitationId" in request.params ? "an id" : "none");
    expect(idOf(adaptToRevision(pageRequest(url), "2025-11-25", HTTPS))).toBe("an id");
    expect(idOf(adaptToRevision(pageRequest(url, "1"), "2026-07-28", HTTPS))).toBe("none");
    expect(adaptToRevision(pageRequest(url, "1"), "2025-11-25", HTTPS)).toMatchObject({
      params: { elicitationId: "1" },
    });
  });
});

describe("other questions", () => {
  it("are written as the revision has them", () => {
    const properties = { color: { type: "string", oneOf: [{ const: "r", title: "Red" }] } };
    const params = { message: "?", requestedSchema: { type: "object" as const, properties } };
    const written = adaptToRevision({ method: "elicitation/create", params }, "2025-06-18", HTTPS);
    const color = { type: "string", enum: ["r"], enumNames: ["Red"] };
    expect(written).toMatchObject({ params: { requestedSchema: { properties: { color } } } });
  });

  it("are left alone if they fit, and refused if they do not", () => {
    const roots: InputRequest = { method: "roots/list" };
    expect(adaptToRevision(roots, "2026-07-28", HTTPS)).toBe(roots);
    const params = { messages: [], maxTokens: 1 };
    const model: InputRequest = { method: "sampling/createMessage", params };
    expect(adaptToRevision(model, "2025-11-25", HTTPS)).toEqual(model);
    const use = { type: "tool_use" as const, id: "1", name: "x", input: {} };
    const open: InputRequest = {
      method: "sampling/createMessage",
      params: { ...params, messages: [{ role: "assistant", content: use }] },
    };
    expect(() => adaptToRevision(open, "2025-11-25", HTTPS)).toThrow(
      expect.objectContaining({ code: "invalid-argument" }),
    );
  });
});

describe("deprecated questions", () => {
  async function codesOf(request: InputRequest): Promise<unknown[]> {
    // A warning is emitted once per process: each of these tests has modules of its own.
    vi.resetModules();
    const fresh = await import("./question-rules.js");
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    fresh.adaptToRevision(request, "2025-11-25", HTTPS);
    const codes = emitWarning.mock.calls.map(([, options]) => (options as { code?: unknown } | undefined)?.code);
    emitWarning.mockRestore();
    return codes;
  }

  it("warn as the functions of a context do", async () => {
    const method = "sampling/createMessage";
    const params = { messages: [], maxTokens: 1 };
    expect(await codesOf({ method: "roots/list" })).toEqual(["PARLEY_DEP_ROOTS"]);
    expect(await codesOf({ method, params })).toEqual(["PARLEY_DEP_SAMPLING"]);
    expect(await codesOf({ method, params: { ...params, includeContext: "none" } })).toEqual(["PARLEY_DEP_SAMPLING"]);
    expect(await codesOf({ method, params: { ...params, includeContext: "thisServer" } })).toEqual([
      "PARLEY_DEP_SAMPLING",
      "PARLEY_DEP_INCLUDE_CONTEXT",
    ]);
    expect(await codesOf(pageRequest("https://example.com/"))).toEqual([]);
  });
});
