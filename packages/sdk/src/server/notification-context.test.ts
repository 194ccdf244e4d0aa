import { describe, expect, it, vi } from "vitest";
import type { Envelope } from "../era/era-codec.js";
import { NotificationContext, type NotifiedConnection } from "./notification-context.js";

const envelope: Envelope = {
  revision: "2025-11-25",
  era: "legacy",
  clientInfo: { name: "editor", version: "1.0.0" },
  clientCapabilities: { roots: {} },
};
const METHOD = "notifications/roots/list_changed";

function contextOf(connection: Partial<NotifiedConnection>, given = envelope) {
  const request = vi.fn(async () => ({ roots: [{ uri: "file:///a" }] }));
  const context = new NotificationContext(
    METHOD,
    given,
    { isReady: true, restrictions: {}, hasSession: (of) => of === given, ...connection },
    { request },
  );
  return { context, request };
}

describe("the context of a notification", () => {
  it("asks for roots by a request that belongs to none", async () => {
    const { context, request } = contextOf({ restrictions: { noQuestions: "plain JSON" } });
    expect(context).toMatchObject({ method: METHOD, clientInfo: envelope.clientInfo, era: "legacy" });
    expect(context.canAsk("roots")).toBe(true);
    expect(await context.listRoots({ timeoutMs: 5 })).toEqual([{ uri: "file:///a" }]);
    expect(request).toHaveBeenCalledExactlyOnceWith("roots/list", undefined, { timeoutMs: 5 });
  });

  it("asks nothing before the handshake is over or after another one, nor where nobody remembers it, nor in the modern era", async () => {
    const forgotten = { restrictions: { noQuestions: "no sessions", forgetsClient: true } };
    const unknown = { ...envelope, clientCapabilities: {} };
    const modern: Envelope = { ...envelope, revision: "2026-07-28", era: "modern" };
    for (const [{ context, request }, code] of [
      [contextOf({ isReady: false }), "not-initialized"],
      [contextOf({ hasSession: () => false }), "context-ended"],
      [contextOf(forgotten, unknown), -32603],
      [contextOf({}, modern), "method-not-in-revision"],
    ] as const) {
      await expect(context.listRoots()).rejects.toMatchObject({ code });
      expect(request).not.toHaveBeenCalled();
    }
    expect(contextOf(forgotten, unknown).context.canAsk("roots")).toBe(false);
  });
});
