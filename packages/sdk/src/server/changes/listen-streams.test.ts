import { describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../runtime/json.js";
import { CONNECTION_BYTES, ServerLimits } from "../server-limits.js";
import { type AnnouncedChange, type ChangeBus, InMemoryChangeBus } from "./change-bus.js";
import { ListenStreams } from "./listen-streams.js";
import { TopicNotifications } from "./topic-notifications.js";

const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true } };
const FILTER = { toolsListChanged: true };

/** A bus that counts who listens. */
function countingBus() {
  const inner = new InMemoryChangeBus();
  const open = new Set<object>();
  const bus: ChangeBus = {
    publish: (change) => inner.publish(change),
    subscribe: (listener) => {
      const stop = inner.subscribe(listener);
      open.add(stop);
      return () => {
        open.delete(stop);
        stop();
      };
    },
  };
  return { bus, open };
}

/** A listen request, what was sent for it, and how to cancel it. */
function request(requestId: string | number = 1, principal?: string) {
  const sent: [string, JsonObject | undefined][] = [];
  const controller = new AbortController();
  let isCancelled = false;
  // As for a request of a dispatcher: nothing is sent for one that the client has cancelled.
  const notify = async (method: string, params?: JsonObject) => {
    if (!isCancelled) sent.push([method, params]);
  };
  return {
    sent,
    cancel: () => {
      isCancelled = true;
      controller.abort();
    },
    /** The server ends the stream with a result. */
    end: () => controller.abort(),
    context: { requestId, signal: controller.signal, caller: { principal }, meta: {}, notify },
  };
}

const limitsOf = (max: number) => ({ maxListenStreams: max, maxSubscribedResources: max });

describe("ListenStreams", () => {
  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("refuses %s as a limit", (limit) => {
    expect(() => new ListenStreams(new InMemoryChangeBus(), limitsOf(limit), new ServerLimits())).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        message: expect.stringContaining("maxListenStreams: expected"),
      }),
    );
  });

  it("allows no stream at all", async () => {
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(0), new ServerLimits());
    await expect(streams.serve({}, CAPABILITIES, request().context)).rejects.toMatchObject({ code: 429 });
  });

  it("lets go of the bus the moment it ends, whoever ends it", async () => {
    const { bus, open } = countingBus();
    const streams = new ListenStreams(bus, limitsOf(2), new ServerLimits());
    const [cancelled, ended] = [request(1), request(2)];
    const results = [
      streams.serve(FILTER, CAPABILITIES, cancelled.context),
      streams.serve(FILTER, CAPABILITIES, ended.context),
    ];
    expect(open.size).toBe(2);
    cancelled.cancel();
    expect(open.size).toBe(1);
    streams.endAll();
    expect(open.size).toBe(0);
    ended.cancel();
    await bus.publish({ kind: "tools" });
    expect(await Promise.all(results)).toEqual([
      { _meta: { "io.modelcontextprotocol/subscriptionId": 1 } },
      { _meta: { "io.modelcontextprotocol/subscriptionId": 2 } },
    ]);
    expect([...cancelled.sent, ...ended.sent]).toHaveLength(2);
  });

  it("frees its place at once", async () => {
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(1), new ServerLimits());
    for (let count = 0; count < 3; count += 1) {
      const { context, cancel } = request();
      void streams.serve(FILTER, CAPABILITIES, context);
      cancel();
    }
    const served = streams.serve(FILTER, CAPABILITIES, request().context);
    streams.endAll();
    expect(await served).toMatchObject({ _meta: {} });
  });

  it("ends a stream whose request was cancelled before it got here", async () => {
    const { bus, open } = countingBus();
    const streams = new ListenStreams(bus, limitsOf(1), new ServerLimits());
    const { context, cancel } = request();
    cancel();
    await streams.serve(FILTER, CAPABILITIES, context);
    expect(open.size).toBe(0);
    const next = streams.serve(FILTER, CAPABILITIES, request().context);
    streams.endAll();
    await next;
  });

  it("keeps no place for a stream that the bus refuses", async () => {
    const { bus } = countingBus();
    const subscribe = vi.fn(bus.subscribe).mockImplementationOnce(() => {
      throw new Error("no room");
    });
    const streams = new ListenStreams({ subscribe }, limitsOf(1), new ServerLimits());
    await expect(streams.serve(FILTER, CAPABILITIES, request().context)).rejects.toThrow("no room");
    const next = streams.serve(FILTER, CAPABILITIES, request().context);
    streams.endAll();
    await next;
  });

  it("fails the request, and ends the others, if the bus cannot be left", async () => {
    const stop = vi.fn().mockImplementationOnce(() => {
      throw new Error("stuck");
    });
    const streams = new ListenStreams({ subscribe: () => stop }, limitsOf(2), new ServerLimits());
    const [stuck, fine] = [request(1), request(2)];
    const results = [
      streams.serve(FILTER, CAPABILITIES, stuck.context),
      streams.serve(FILTER, CAPABILITIES, fine.context),
    ];
    streams.endAll();
    expect(await Promise.allSettled(results)).toMatchObject([
      { reason: { message: "stuck" } },
      { status: "fulfilled" },
    ]);
  });

  it("tells whether it delivered", async () => {
    const hears: ((change: AnnouncedChange) => unknown)[] = [];
    const subscribe = (hear: (change: AnnouncedChange) => unknown) => {
      hears.push(hear);
      return () => undefined;
    };
    const streams = new ListenStreams({ subscribe }, limitsOf(1), new ServerLimits());
    const served = streams.serve(FILTER, CAPABILITIES, request().context);
    expect([hears[0]?.({ kind: "tools" }), hears[0]?.({ kind: "prompts" })]).toEqual([true, false]);
    streams.endAll();
    await served;
  });

  it("hands out a filter of its own, which nobody can widen from outside", async () => {
    const { bus } = countingBus();
    const streams = new ListenStreams(bus, limitsOf(8), new ServerLimits());
    const { context, sent } = request();
    const asked = { resourceSubscriptions: ["a://1"] };
    void streams.serve(asked, CAPABILITIES, context);
    const told = sent[0]?.[1]?.notifications as typeof asked;
    asked.resourceSubscriptions.push("a://2");
    told.resourceSubscriptions.push("a://3");
    for (const uri of ["a://1", "a://2", "a://3"]) await bus.publish({ kind: "resource", uri });
    expect(sent.slice(1).map(([, params]) => params?.uri)).toEqual(["a://1"]);
    streams.endAll();
  });

  it("ends no stream for a filter that is refused, and keeps no bytes of a stream that is", async () => {
    const limits = new ServerLimits({ maxBytesPerSession: 1_000 });
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(3), limits);
    const greedy = [request(1, "ann"), request(2, "ann"), request(3, "ann")];
    const ended = vi.fn();
    for (const { context } of greedy) void streams.serve(FILTER, CAPABILITIES, context).then(ended);
    const long = { resourceSubscriptions: ["a".repeat(1_000)] };
    await expect(streams.serve(long, CAPABILITIES, request(4, "bob").context)).rejects.toMatchObject({ code: 429 });
    expect(ended).not.toHaveBeenCalled();
    const short = { resourceSubscriptions: ["a"] };
    await expect(streams.serve(short, CAPABILITIES, request(5, "ann").context)).rejects.toMatchObject({ code: 429 });
    expect(limits.bytes.used).toBe(3 * CONNECTION_BYTES);
    void streams.serve(short, CAPABILITIES, request(6, "bob").context);
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
    expect(limits.bytes.used).toBe(4 + 3 * CONNECTION_BYTES);
    streams.endAll();
    await vi.waitFor(() => expect(limits.bytes.used).toBe(0));
  });

  /** A filter of an extension with these topics, and the topics that changed. */
  function filterOf(topics: readonly string[]) {
    const changed: string[] = [];
    const notifications = new TopicNotifications(async (topic) => void changed.push(topic), vi.fn());
    const honored = { name: "acmeJobIds", value: topics, topics, notifications };
    return { changed, requested: [{ honor: async () => honored }, { honor: async () => undefined }] };
  }

  it("sends everything that it selects when changes were missed", async () => {
    const { bus, open } = countingBus();
    const streams = new ListenStreams(bus, limitsOf(4), new ServerLimits());
    const { changed, requested } = filterOf(["j1", "j2"]);
    const { context, sent, cancel } = request();
    const filter = { ...FILTER, resourceSubscriptions: ["a://1"] };
    const served = streams.serve(filter, CAPABILITIES, context, requested);
    await vi.waitFor(() => expect(open.size).toBe(1));
    await bus.publish({ kind: "missed" });
    const methods = sent.slice(1).map(([method]) => method);
    expect(methods).toEqual(["notifications/resources/updated", "notifications/tools/list_changed"]);
    await vi.waitFor(() => expect(changed).toEqual(["j1", "j2"]));
    cancel();
    await served;
  });

  it("passes changes of its topics on, and no others", async () => {
    const { bus, open } = countingBus();
    const streams = new ListenStreams(bus, limitsOf(2), new ServerLimits());
    const { changed, requested } = filterOf(["j1"]);
    const { context, sent, cancel } = request();
    const served = streams.serve(FILTER, CAPABILITIES, context, requested);
    await vi.waitFor(() => expect(open.size).toBe(1));
    const announced = (topic: string) => bus.publish({ kind: "extension", filter: "acmeJobIds", topic });
    await announced("j2");
    await announced("j1");
    expect(sent).toMatchObject([
      [expect.any(String), { notifications: { toolsListChanged: true, acmeJobIds: ["j1"] } }],
    ]);
    expect(changed).toEqual(["j1"]);
    cancel();
    await served;
    await announced("j1");
    expect([changed, open.size]).toEqual([["j1"], 0]);
  });

  it("counts the bytes of topics, and keeps none of a stream that is refused", async () => {
    const limits = new ServerLimits({ maxBytesPerSession: 100 });
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(2), limits);
    const { requested } = filterOf(["x".repeat(26)]);
    await expect(streams.serve(FILTER, CAPABILITIES, request().context, requested)).rejects.toMatchObject({
      code: 429,
    });
    expect(limits.bytes.used).toBe(0);
    const sound = request();
    void streams.serve(FILTER, CAPABILITIES, sound.context, filterOf(["x".repeat(25)]).requested);
    await vi.waitFor(() => expect(limits.bytes.used).toBe(100 + CONNECTION_BYTES));
    streams.endAll();
    await vi.waitFor(() => expect(limits.bytes.used).toBe(0));
  });

  it("counts a stream whose filter hangs, and frees its place when it ends", async () => {
    const limits = new ServerLimits();
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(1), limits);
    const hanging = request();
    const served = streams.serve({}, CAPABILITIES, hanging.context, [{ honor: () => new Promise(() => {}) }]);
    await expect(streams.serve({}, CAPABILITIES, request().context)).rejects.toMatchObject({ code: 429 });
    hanging.cancel();
    await served;
    expect([hanging.sent, limits.bytes.used]).toEqual([[], 0]);
    void streams.serve({}, CAPABILITIES, request().context);
    streams.endAll();
  });

  it("acknowledges a stream that the server ends before its filter is honored", async () => {
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(1), new ServerLimits());
    const { context, sent, end } = request();
    const served = streams.serve(FILTER, CAPABILITIES, context, [{ honor: () => new Promise(() => {}) }]);
    end();
    await served;
    expect(sent).toEqual([
      ["notifications/subscriptions/acknowledged", expect.objectContaining({ notifications: FILTER })],
    ]);
  });

  it("sends no acknowledgment if the filter is honored after the end", async () => {
    const streams = new ListenStreams(new InMemoryChangeBus(), limitsOf(1), new ServerLimits());
    const { context, sent, cancel } = request();
    const honor = async () => {
      cancel();
      return undefined;
    };
    await streams.serve({}, CAPABILITIES, context, [{ honor }]);
    expect(sent).toEqual([]);
  });
});
