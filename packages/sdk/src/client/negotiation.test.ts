import { expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import { REVISIONS } from "../protocol/revisions.js";
import { negotiate } from "./negotiation.js";

const PLAN = {
  identity: { info: { name: "c", version: "1.0.0" }, capabilities: {} },
  revisions: REVISIONS,
  pinned: undefined,
  resumeFrom: undefined,
  probeTimeoutMs: 1_000,
  signal: undefined,
};
const HANDSHAKE = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1.0.0" } };

const status = (code: number) => new SdkError("http-error", `status ${code}`, { status: code });

it.each([
  ["a page that is not there", status(404)],
  ["a POST that is not taken", status(405)],
  ["an acceptance without an answer", new SdkError("stream-ended", "202")],
  ["a page for people", new SdkError("invalid-message", "HTML")],
])("takes %s for a legacy server", async (_what, answer) => {
  const request = vi.fn(async (method: string) => {
    if (method === "initialize") return HANDSHAKE;
    throw answer;
  });
  const negotiated = await negotiate({ request, notify: async () => {} }, PLAN);
  expect(negotiated.revision).toBe("2025-11-25");
});

it("leaves a server five seconds for the probe by default", async () => {
  const request = vi.fn(async (method: string) => {
    if (method === "initialize") return HANDSHAKE;
    throw new SdkError("request-timeout", "silent");
  });
  await negotiate({ request, notify: async () => {} }, { ...PLAN, probeTimeoutMs: undefined });
  expect(request).toHaveBeenNthCalledWith(1, "server/discover", expect.anything(), { timeoutMs: 5_000 });
});

it.each([
  ["missing credentials", status(401)],
  ["refused credentials", status(403)],
  ["a proxy that wants to know who asks", status(407)],
  ["too many requests", status(429)],
  ["a limit of the server", new ProtocolError(429, "Too many requests in progress")],
  ["a broken server", status(500)],
  ["a failure without a status", new SdkError("http-error", "?")],
  ["a server that is not there", new SdkError("connection-closed", "ECONNREFUSED")],
  ["something else", new TypeError("?")],
])("does not try the handshake on %s", async (_what, failure) => {
  const request = vi.fn(() => Promise.reject(failure));
  await expect(negotiate({ request, notify: async () => {} }, PLAN)).rejects.toBe(failure);
  expect(request).toHaveBeenCalledOnce();
});
