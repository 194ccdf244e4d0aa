import { afterEach, describe, expect, it, vi } from "vitest";
import { SdkError } from "../../errors/sdk-error.js";
import {
  answerTo,
  legacy,
  modern,
  notification,
  openQuietSession,
  settle,
  startStreamable,
} from "./transport-set-up.fixture.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("closing", () => {
  it("ends everything under way, says so once, and refuses what comes after", async () => {
    const { transport, http, received, closings } = startStreamable();
    const sent = [transport.send(modern(1, "tools/list")), transport.send(notification("notifications/custom"))];
    const refused = Promise.all(sent.map((one) => expect(one).rejects.toMatchObject({ code: "connection-closed" })));
    const stream = (await http.next()).stream();
    await Promise.all([transport.close(), transport.close()]);
    await transport.close();
    await refused;
    expect(closings).toEqual([undefined]);
    expect(stream.isCancelled || received.length > 0).toBe(false);
    await expect(transport.send(modern(2, "tools/list"))).rejects.toMatchObject({ code: "connection-closed" });
    expect(http.calls.every((call) => call.isAborted)).toBe(true);
    expect(http.calls).toHaveLength(2);
  });

  it("hands nothing on any more", async () => {
    const { transport, http, received } = startStreamable();
    const sent = transport.send(modern(1, "tools/list"));
    (await http.next()).json(answerTo(1));
    const closing = transport.close();
    await Promise.allSettled([sent, closing]);
    await settle();
    expect(received).toEqual([]);
  });

  it.each([200, 204, 404, 405])("ends the session; %i is fine", async (status) => {
    const setUp = startStreamable();
    const { transport, http, errors, closings } = setUp;
    await openQuietSession(setUp);
    const closing = transport.close();
    const call = await http.next();
    expect(call.init.method).toBe("DELETE");
    expect(closings).toEqual([]);
    call.respond(status);
    await closing;
    expect([errors, closings]).toEqual([[], [undefined]]);
  });

  it("reports a session that could not be ended", async () => {
    const setUp = startStreamable();
    await openQuietSession(setUp);
    const closing = setUp.transport.close();
    (await setUp.http.next()).respond(500);
    await closing;
    expect(setUp.errors).toMatchObject([{ code: "http-error", status: 500 }]);
  });

  it("reports nothing if the server is gone", async () => {
    const setUp = startStreamable();
    await openQuietSession(setUp);
    const closing = setUp.transport.close();
    for (const _attempt of [1, 2]) (await setUp.http.next()).fail(new Error("ECONNREFUSED"));
    await closing;
    expect([setUp.errors, setUp.closings]).toEqual([[], [undefined]]);
  });

  it("ends the session over another connection if the first was lost", async () => {
    const setUp = startStreamable();
    await openQuietSession(setUp);
    const closing = setUp.transport.close();
    (await setUp.http.next()).fail(new Error("ECONNRESET"));
    const again = await setUp.http.next();
    expect(again.init.method).toBe("DELETE");
    again.respond(204);
    await closing;
    expect(setUp.errors).toEqual([]);
  });

  it("sends no second DELETE after another failure than a lost connection", async () => {
    let isClosing = false;
    const headers = vi.fn(async () => {
      if (isClosing) throw new SdkError("authorization-failed", "no credentials");
      return {};
    });
    const setUp = startStreamable({ headers });
    await openQuietSession(setUp);
    isClosing = true;
    headers.mockClear();
    await setUp.transport.close();
    expect(headers).toHaveBeenCalledOnce();
  });

  it("does not wait for ever", async () => {
    const setUp = startStreamable({ closeTimeoutMs: 300 });
    await openQuietSession(setUp);
    vi.useFakeTimers();
    const closing = setUp.transport.close();
    await vi.advanceTimersByTimeAsync(300);
    await closing;
    expect(setUp.errors).toMatchObject([
      { code: "request-timeout", message: "DELETE http://mcp.example/mcp: no answer within 300 ms" },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits two seconds by default", async () => {
    const setUp = startStreamable();
    await openQuietSession(setUp);
    vi.useFakeTimers();
    const closing = setUp.transport.close();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(setUp.errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(setUp.errors).toMatchObject([{ code: "request-timeout" }]);
  });

  it("does not mind a listener that throws", async () => {
    const onError = vi.fn(() => {
      throw new Error("listener");
    });
    const setUp = startStreamable({ onError });
    await openQuietSession(setUp);
    const closing = setUp.transport.close();
    (await setUp.http.next()).respond(500);
    await closing;
    expect(onError).toHaveBeenCalledTimes(1);
    expect(setUp.closings).toEqual([undefined]);
  });

  it("needs no one who listens for errors, nor a start", async () => {
    const setUp = startStreamable({ onError: undefined });
    await openQuietSession(setUp);
    const closing = setUp.transport.close();
    (await setUp.http.next()).respond(500);
    await closing;
    const { transport } = startStreamable();
    await transport.close();
    await expect(transport.send(legacy(1, "ping"))).rejects.toMatchObject({ code: "connection-closed" });
  });
});
