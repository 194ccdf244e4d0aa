import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { connectInProcess, connectJsonRpc, everythingDelivered } from "./contract/connection.fixture.js";
import { dispatcherContract } from "./dispatcher-contract.js";

describe.each([
  ["JsonRpcDispatcher", connectJsonRpc],
  ["DirectDispatcher", connectInProcess],
])("%s", (_name, connect) => {
  dispatcherContract(connect);

  it("puts one listener on a signal that many requests share, draws no leak warning and leaves none", async () => {
    const warned = vi.spyOn(process, "emitWarning");
    await using connection = await connect();
    const { signal } = new AbortController();
    const calls = Array.from({ length: 50 }, () => connection.left.request("work", {}, { signal }));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await Promise.all(calls);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it("raises no unhandled rejection for what a handler started and never came to look at", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const pings: Promise<void>[] = [];
    await using connection = await connect({
      left: { request: () => new Promise(() => undefined) },
      right: {
        request: async (inbound) => {
          inbound.signal.addEventListener("abort", () => pings.push(inbound.notify("notifications/progress")));
          const started = [inbound.request("roots/list"), inbound.request("roots/list")];
          return { first: await started[0] };
        },
      },
    });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    await everythingDelivered();
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await everythingDelivered();
    expect(pings).toHaveLength(1);
    expect(unhandled).not.toHaveBeenCalled();
    process.off("unhandledRejection", unhandled);
  });

  it("leaves no listener on a signal that aborted", async () => {
    await using connection = await connect({ right: { request: () => new Promise(() => undefined) } });
    const stop = new AbortController();
    const call = connection.left.request("work", {}, { signal: stop.signal });
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
  });
});
