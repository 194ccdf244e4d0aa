import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Transport, TransportReceiver } from "../transport/transport.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import { Client } from "./client.js";
import type { ClientOptions } from "./client-options.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const EXPIRED = new SdkError("session-expired", "gone");

type Script = (method: string, line: Line) => object | undefined | Promise<object>;

/** A server at the other end, message by message: what a script returns is the answer, what it throws fails the sending. */
class Line implements Transport {
  readonly methods: string[] = [];
  receiver: TransportReceiver | undefined;
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  start(receiver: TransportReceiver): void {
    this.receiver = receiver;
  }

  async send(message: JsonRpcMessage | readonly JsonRpcMessage[]): Promise<void> {
    for (const one of [message].flat() as JsonRpcMessage[]) {
      if (!("method" in one)) continue;
      this.methods.push(one.method);
      const answer = await this.#script(one.method, this);
      if ("id" in one && answer) this.receiver?.receive({ jsonrpc: "2.0", id: one.id, ...answer });
    }
  }

  close(): void {
    this.receiver?.closed();
  }
}

const HANDSHAKE = {
  result: { protocolVersion: "2025-03-26", capabilities: {}, serverInfo: { name: "s", version: "1.0.0" } },
};

const identity: ClientOptions = { name: "c", version: "1.0.0", revisions: ["2025-03-26"], onError: () => {} };

it("says why the session could not be renewed, and tries again with the next call", async () => {
  let handshakes = 0;
  let isKnown = false;
  const line = new Line((method) => {
    if (method === "initialize") {
      handshakes += 1;
      // Refused, a client asks once more afresh.
      if (handshakes === 2 || handshakes === 3) return { error: { code: -32000, message: "not now" } };
      isKnown = handshakes > 3;
      return HANDSHAKE;
    }
    if (method === "ping" && !isKnown) throw EXPIRED;
    return { result: {} };
  });
  const client = await Client.connect(line, identity);
  await expect(client.ping()).rejects.toBeInstanceOf(ProtocolError);
  await client.ping();
  expect(handshakes).toBe(4);
});

it("renews a session once for all who find it gone at the same time", async () => {
  let handshakes = 0;
  const line = new Line((method) => {
    if (method === "initialize") handshakes += 1;
    if (method === "ping" && handshakes === 1) throw EXPIRED;
    return method === "initialize" ? HANDSHAKE : { result: {} };
  });
  const client = await Client.connect(line, identity);
  await Promise.all([client.ping(), client.ping(), client.ping()]);
  expect(handshakes).toBe(2);
});

it("sends again over a session that others have renewed meanwhile", async () => {
  let handshakes = 0;
  let fail = () => {};
  const line = new Line((method) => {
    if (method === "initialize") handshakes += 1;
    if (method === "acme/slow" && handshakes === 1) {
      return new Promise((_resolve, reject) => {
        fail = () => reject(EXPIRED);
      });
    }
    if (method === "ping" && handshakes === 1) throw EXPIRED;
    return method === "initialize" ? HANDSHAKE : { result: {} };
  });
  const client = await Client.connect(line, identity);
  const slow = client.request("acme/slow");
  await client.ping();
  fail();
  expect(await slow).toEqual({});
  expect(handshakes).toBe(2);
});

it("is over when the connection goes while the session is being renewed", async () => {
  const onClose = vi.fn();
  let handshakes = 0;
  const line = new Line((method, { receiver }) => {
    if (method === "ping") throw EXPIRED;
    handshakes += method === "initialize" ? 1 : 0;
    if (handshakes === 2) receiver?.closed(new Error("cut"));
    return HANDSHAKE;
  });
  const client = await Client.connect(line, { ...identity, onClose });
  await expect(client.ping()).rejects.toMatchObject({ code: "connection-closed" });
  expect(onClose).toHaveBeenCalledOnce();
});

it("opens the connection again when it goes while the session is being renewed", async () => {
  let laid = 0;
  const lay = () => {
    laid += 1;
    const isFirst = laid === 1;
    let handshakes = 0;
    return new Line((method, { receiver }) => {
      if (isFirst && method === "ping") throw EXPIRED;
      handshakes += method === "initialize" ? 1 : 0;
      if (isFirst && handshakes === 2) receiver?.closed(new Error("cut"));
      return method === "initialize" ? HANDSHAKE : { result: {} };
    });
  };
  const client = await Client.connect(lay, { ...identity, reconnect: { initialDelayMs: 10 } });
  await expect(client.ping()).rejects.toMatchObject({ code: "connection-closed" });
  const again = client.ping();
  await vi.advanceTimersByTimeAsync(13);
  await again;
  expect(laid).toBe(2);
});

it("sends notifications and batches once the connection is back, and does not take one that was lost at once", async () => {
  const lines: Line[] = [];
  const lay = () => {
    const line: Line = new Line((method, { receiver }) => {
      // The second line breaks as soon as its handshake is over.
      if (lines.indexOf(line) === 1 && method === "notifications/initialized") receiver?.closed(new Error("cut"));
      return method === "initialize" ? HANDSHAKE : { result: {} };
    });
    lines.push(line);
    return line;
  };
  const client = await Client.connect(lay, { ...identity, reconnect: { initialDelayMs: 10 } });
  lines[0]?.receiver?.closed(new Error("cut"));
  const notified = client.notify("acme/news");
  const batch = client.requestBatch([{ method: "ping" }]);
  await vi.advanceTimersByTimeAsync(40);
  await notified;
  expect(await batch).toMatchObject([{ status: "fulfilled" }]);
  expect(lines).toHaveLength(3);
  expect(lines[2]?.methods).toEqual(["initialize", "notifications/initialized", "acme/news", "ping"]);
});

const DISCOVERED = {
  result: {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: {},
    ttlMs: 0,
    cacheScope: "private",
  },
};
const EARLIER = { revision: "2026-07-28", server: {} } as const;
const OLDER = { code: -32022, message: "Unsupported", data: { supported: ["2025-03-26"], requested: "2026-07-28" } };
const both: ClientOptions = { ...identity, revisions: ["2025-03-26", "2026-07-28"] };
const LISTED = { result: { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" } };

it.each([
  ["-32022", { error: OLDER }],
  ["an error of the legacy era", { error: { code: -32600, message: "Server not initialized" } }],
])("asks again when a resumed revision is answered with %s, and goes on", async (_what, refusal) => {
  let isOpen = false;
  const line = new Line((method) => {
    if (method === "server/discover") return { error: OLDER };
    if (method === "initialize") {
      isOpen = true;
      return HANDSHAKE;
    }
    return isOpen ? LISTED : refusal;
  });
  const client = await Client.connect(line, { ...both, resumeFrom: EARLIER });
  expect((await client.listTools({ id: "mine" })).tools).toEqual([]);
  expect(client.revision).toBe("2025-03-26");
  const opening = ["server/discover", "initialize", "notifications/initialized"];
  expect(line.methods).toEqual(["tools/list", ...opening, "tools/list"]);
});

it("keeps a resumed revision that proves right, and hands on the error", async () => {
  const line = new Line((method) =>
    method === "server/discover" ? DISCOVERED : { error: { code: -32601, message: "No tools" } },
  );
  const client = await Client.connect(line, { ...both, resumeFrom: EARLIER });
  await expect(client.listTools()).rejects.toMatchObject({ code: -32601 });
  await expect(client.listTools()).rejects.toMatchObject({ code: -32601 });
  expect(line.methods).toEqual(["tools/list", "server/discover", "tools/list"]);
});

it.each<[string, ClientOptions, object | SdkError]>([
  ["a pinned revision", { ...identity, revision: "2026-07-28" }, { error: OLDER }],
  ["an internal error", { ...both, resumeFrom: EARLIER }, { error: { code: -32603, message: "Internal error" } }],
  ["a timeout", { ...both, resumeFrom: EARLIER }, new SdkError("request-timeout", "late")],
  ["a lost transport", { ...both, resumeFrom: EARLIER }, new SdkError("connection-closed", "gone")],
])("does not ask again for %s", async (_what, options, answer) => {
  const line = new Line(() => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const client = await Client.connect(line, options);
  await expect(client.listTools()).rejects.toBeInstanceOf(Error);
  expect(line.methods).toEqual(["tools/list"]);
});

it("gives a request that is sent again what is left of its timeout", async () => {
  let cut = () => {};
  const line = new Line(() => {
    if (line.methods.length > 1) return undefined;
    return new Promise((_resolve, reject) => {
      cut = () => reject(new SdkError("stream-ended", "cut"));
    });
  });
  const client = await Client.connect(line, { ...identity, revision: "2026-07-28", timeoutMs: 1_000 });
  const listed = expect(client.listTools()).rejects.toMatchObject({ code: "request-timeout" });
  await vi.advanceTimersByTimeAsync(600);
  cut();
  await vi.advanceTimersByTimeAsync(399);
  expect(line.methods).toEqual(["tools/list", "tools/list"]);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await listed;
});

it("does not send a request again once its time is up", async () => {
  let finish = () => {};
  const line = new Line((method) => {
    if (method === "notifications/initialized") return undefined;
    if (line.methods.length === 1) return HANDSHAKE;
    return new Promise((resolve, reject) => {
      finish = () => (method === "ping" ? reject(EXPIRED) : resolve(HANDSHAKE));
    });
  });
  const client = await Client.connect(line, identity);
  const pinged = expect(client.request("ping", {}, { timeoutMs: 1_000 })).rejects.toBe(EXPIRED);
  await vi.advanceTimersByTimeAsync(600);
  finish();
  await vi.advanceTimersByTimeAsync(600);
  finish();
  await pinged;
  expect(line.methods.filter((method) => method === "ping")).toHaveLength(1);
});

it("counts the wait for a connection into the timeout", async () => {
  const lines: Line[] = [];
  const lay = () => {
    const line = new Line((method) => (method === "initialize" ? HANDSHAKE : undefined));
    lines.push(line);
    return line;
  };
  const client = await Client.connect(lay, { ...identity, reconnect: { initialDelayMs: 600 }, timeoutMs: 1_000 });
  lines[0]?.receiver?.closed(new Error("cut"));
  const settled = vi.fn();
  client.ping().catch(settled);
  await vi.advanceTimersByTimeAsync(999);
  expect(lines[1]?.methods).toContain("ping");
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(settled).toHaveBeenCalledOnce();
});

it("does not doubt a legacy revision for the -32022 of a tool", async () => {
  const line = new Line((method) => {
    if (method === "server/discover") return { error: OLDER };
    return method === "initialize" ? HANDSHAKE : { error: OLDER };
  });
  const client = await Client.connect(line, both);
  const opening = [...line.methods];
  await expect(client.request("tools/call", { name: "add" })).rejects.toMatchObject({ code: -32022 });
  expect(line.methods).toEqual([...opening, "tools/call"]);
});

it("does not doubt a resumed revision that has answered before", async () => {
  const line = new Line((method) =>
    method === "tools/list" ? LISTED : { error: { code: -32601, message: "No prompts" } },
  );
  const client = await Client.connect(line, { ...both, resumeFrom: EARLIER });
  await client.listTools();
  await expect(client.listPrompts()).rejects.toMatchObject({ code: -32601 });
  expect(line.methods).toEqual(["tools/list", "prompts/list"]);
});

it("says why a revision could not be found anew", async () => {
  const line = new Line((method) => ({ error: method === "initialize" ? { code: -32000, message: "no" } : OLDER }));
  const client = await Client.connect(line, { ...both, resumeFrom: EARLIER });
  await expect(client.listTools()).rejects.toMatchObject({ code: -32000 });
});

it("does not send a cursor of a lost session in a new one", async () => {
  let handshakes = 0;
  const line = new Line((method) => {
    if (method === "initialize") handshakes += 1;
    if (method === "tools/list" && handshakes === 1) throw EXPIRED;
    return method === "initialize" ? HANDSHAKE : { result: { tools: [] } };
  });
  const client = await Client.connect(line, identity);
  await expect(client.listTools({ cursor: "2" })).rejects.toMatchObject({ code: "session-expired" });
  expect((await client.listTools()).tools).toEqual([]);
  expect(line.methods.filter((method) => method === "tools/list")).toHaveLength(2);
});

it("pings a legacy server at the interval, and opens the connection again when one is not answered", async () => {
  const errors: Error[] = [];
  const lines: Line[] = [];
  const lay = () => {
    const isFirst = lines.length === 0;
    let pings = 0;
    const line: Line = new Line((method) => {
      if (method === "initialize") return HANDSHAKE;
      if (method === "ping") pings += 1;
      return isFirst && pings > 1 ? undefined : { result: {} };
    });
    lines.push(line);
    return line;
  };
  const client = await Client.connect(lay, {
    ...identity,
    reconnect: { initialDelayMs: 10 },
    pingIntervalMs: 1_000,
    onError: (error) => void errors.push(error),
  });
  await vi.advanceTimersByTimeAsync(3_040);
  expect(lines).toHaveLength(2);
  expect(errors).toMatchObject([{ code: "connection-closed", message: expect.stringContaining("pingIntervalMs") }]);
  await client.ping();
  expect(lines[1]?.methods).toEqual(["initialize", "notifications/initialized", "ping"]);

  await client.close();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(lines[1]?.methods).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});

it("pings no more once the connection is over, and never in the modern era", async () => {
  const onClose = vi.fn();
  const line = new Line((method) => (method === "initialize" ? HANDSHAKE : undefined));
  const client = await Client.connect(line, { ...identity, pingIntervalMs: 1_000, onClose });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(onClose).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
  await client.close();

  const modern = new Line(() => LISTED);
  await Client.connect(modern, { ...identity, revision: "2026-07-28", pingIntervalMs: 1_000 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(modern.methods).toEqual([]);
});

it("replaces roots before there is a connection", async () => {
  const capabilities = { roots: { listChanged: true } };
  const client = new Client({ ...identity, listRoots: () => [], capabilities });
  await client.setRoots([{ uri: "file:///a" }]);
  const line = new Line((method) => (method === "initialize" ? HANDSHAKE : { result: {} }));
  await client.open(line);
  expect(line.methods).toEqual(["initialize", "notifications/initialized"]);
});

it("does not send a cursor over a connection that was not open when the cursor was given out", async () => {
  const lines: Line[] = [];
  const lay = () => {
    const line = new Line((method) => (method === "initialize" ? HANDSHAKE : { result: { tools: [] } }));
    lines.push(line);
    return line;
  };
  const client = await Client.connect(lay, { ...identity, reconnect: { initialDelayMs: 10 } });
  lines[0]?.receiver?.closed(new Error("cut"));
  const paged = expect(client.listTools({ cursor: "2" })).rejects.toMatchObject({ code: "session-expired" });
  const listed = client.listTools();
  await vi.advanceTimersByTimeAsync(13);
  await paged;
  expect((await listed).tools).toEqual([]);
  expect(lines[1]?.methods.filter((method) => method === "tools/list")).toHaveLength(1);
});

it("is over when the connection goes right after the session was renewed", async () => {
  const onClose = vi.fn();
  let handshakes = 0;
  const line = new Line((method, { receiver }) => {
    if (method === "ping") throw EXPIRED;
    handshakes += method === "initialize" ? 1 : 0;
    // In the same turn as the answer to the last message of the handshake.
    if (handshakes === 2 && method === "notifications/initialized") queueMicrotask(() => receiver?.closed());
    return HANDSHAKE;
  });
  const client = await Client.connect(line, { ...identity, onClose, pingIntervalMs: 1_000 });
  await expect(client.ping()).rejects.toMatchObject({ code: "connection-closed" });
  expect(onClose).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

it("stays closed when it was closed while the session was being renewed", async () => {
  const onClose = vi.fn();
  let handshakes = 0;
  const line: Line = new Line((method) => {
    if (method === "ping") throw EXPIRED;
    handshakes += method === "initialize" ? 1 : 0;
    if (handshakes === 2 && method === "notifications/initialized") void client.close();
    return HANDSHAKE;
  });
  const client = await Client.connect(line, { ...identity, onClose, pingIntervalMs: 1_000 });
  await expect(client.ping()).rejects.toMatchObject({ code: "connection-closed" });
  expect(onClose).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

/** Transports that are made one after another; the test resolves each. */
function slowTransports() {
  const made: ((transport: Transport) => void)[] = [];
  const factory = () => new Promise<Transport>((resolve) => made.push(resolve));
  return { made, factory };
}

it("closes a connection that a reconnect opens after close", async () => {
  const { made, factory } = slowTransports();
  const onError = vi.fn();
  const options = { ...identity, revision: "2026-07-28", onError, reconnect: { initialDelayMs: 10 } } as const;
  const first = new Line(() => undefined);
  const connecting = Client.connect(factory, options);
  made[0]?.(first);
  const client = await connecting;
  first.receiver?.closed();
  await vi.advanceTimersByTimeAsync(13);
  expect(made).toHaveLength(2);
  await client.close();
  const second = new Line(() => undefined);
  const closed = vi.spyOn(second, "close");
  made[1]?.(second);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(closed).toHaveBeenCalledOnce();
  expect(made).toHaveLength(2);
  expect(onError).not.toHaveBeenCalled();
});

it("closes a connection that open makes after close", async () => {
  const { made, factory } = slowTransports();
  const onClose = vi.fn();
  const client = new Client({ ...identity, revision: "2026-07-28", onClose });
  const opening = client.open(factory);
  await client.close();
  const line = new Line(() => undefined);
  const closed = vi.spyOn(line, "close");
  made[0]?.(line);
  await expect(opening).rejects.toMatchObject({
    code: "connection-closed",
    message: "This client was closed while it was being connected; make a new one",
  });
  expect(closed).toHaveBeenCalledOnce();
  expect(onClose).toHaveBeenCalledOnce();
});
