import { McpServer, type ServerContext } from "parley-mcp/server";
import { expect, vi } from "vitest";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";

verifies(
  "protocol:context:dead-after-request",
  "a context kept past the answer, or past a cancellation, rejects as context-ended and sends nothing",
  async ({ connect, wire }) => {
    const contexts: ServerContext[] = [];
    const server = new McpServer({ name: "hoarder", version: "1.0.0" });
    server.handle("acme/keep", (_params, context) => {
      contexts.push(context);
      return {};
    });
    server.handle("acme/keep-waiting", (_params, context) => {
      contexts.push(context);
      started.resolve();
      return new Promise(() => context.signal.addEventListener("abort", () => aborted.resolve()));
    });
    const started = deferred();
    const aborted = deferred();
    const client = await connect(server);
    client.handle("acme/ask", () => {
      throw new Error("must not run");
    });
    const stop = new AbortController();

    await client.request("acme/keep");
    const call = client.request("acme/keep-waiting", {}, { signal: stop.signal });
    await started.promise;
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: "request-aborted" });
    await aborted.promise;
    const sentBefore = wire.from("server").length;

    expect(contexts).toHaveLength(2);
    for (const context of contexts) {
      const ended = { name: "SdkError", code: "context-ended", message: expect.stringContaining(context.method) };
      await expect(context.notify("acme/news")).rejects.toMatchObject(ended);
      await expect(context.request("acme/ask")).rejects.toMatchObject(ended);
    }
    expect(wire.from("server")).toHaveLength(sentBefore);
  },
);

for (const closing of ["client", "server"]) {
  verifies(
    "protocol:error:connection-closed",
    `all pending calls on either side reject when the ${closing} closes`,
    async ({ connect, era }) => {
      const started = deferred();
      const serverOutcome = deferred<unknown>();
      const server = new McpServer({ name: "slow", version: "1.0.0" });
      const accept = vi.spyOn(server.hosting, "accept");
      const never = () => new Promise<never>(() => undefined);
      server.tool("wait", {}, never);
      server.handle("tools/list", never);
      server.handle("acme/wait", (_params, context) => {
        if (era === "legacy") context.request("acme/ask").catch(serverOutcome.resolve);
        started.resolve();
        return never();
      });
      const client = await connect(server);
      client.handle("acme/ask", never);
      const [serverSide] = accept.mock.calls[0] ?? [];

      const calls = [client.request("acme/wait"), client.callTool("wait"), client.listTools()];
      const outcomes = Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
      await started.promise;
      await (closing === "client" ? client.close() : serverSide?.close());

      const closed = { name: "SdkError", code: "connection-closed" };
      expect(await outcomes).toMatchObject([closed, closed, closed]);
      if (era === "legacy") expect(await serverOutcome.promise).toMatchObject(closed);
    },
  );

  verifies(
    "protocol:close:aborts-handlers",
    `the signals of all running handlers abort when the ${closing} closes`,
    async ({ connect, era }) => {
      const running = new Map([
        ["first", { started: deferred(), aborted: deferred<unknown>() }],
        ["second", { started: deferred(), aborted: deferred<unknown>() }],
        ["at the client", { started: deferred(), aborted: deferred<unknown>() }],
      ]);
      const run = (name: string, signal: AbortSignal) => {
        signal.addEventListener("abort", () => running.get(name)?.aborted.resolve(signal.reason));
        running.get(name)?.started.resolve();
        return new Promise<never>(() => undefined);
      };
      const server = new McpServer({ name: "slow", version: "1.0.0" });
      const accept = vi.spyOn(server.hosting, "accept");
      server.handle("acme/wait", ({ name }, context) => {
        if (era === "legacy" && name === "second") void context.request("acme/ask");
        return run(String(name), context.signal);
      });
      const client = await connect(server);
      client.handle("acme/ask", (_params, { signal }) => run("at the client", signal));
      const [serverSide] = accept.mock.calls[0] ?? [];

      if (era === "modern") running.delete("at the client");
      for (const name of ["first", "second"]) client.request("acme/wait", { name }).catch(() => undefined);
      for (const { started } of running.values()) await started.promise;
      await (closing === "client" ? client.close() : serverSide?.close());

      for (const { aborted } of running.values()) {
        expect(await aborted.promise).toMatchObject({ name: "SdkError", code: "connection-closed" });
      }
    },
  );
}

verifies(
  "protocol:close:calls-rejected",
  "calls and notifications on a closed client reject and send nothing, and closing again does no harm",
  async ({ connect, wire }) => {
    const onClose = vi.fn();
    const server = new McpServer({ name: "untouched", version: "1.0.0" });
    server.tool("never", {}, () => {
      throw new Error("must not run");
    });
    const client = await connect(server, { onClose });
    const sentBefore = wire.from("client").length;

    await Promise.all([client.close(), client.close()]);
    const closed = { name: "SdkError", code: "connection-closed" };
    await expect(client.callTool("never")).rejects.toMatchObject(closed);
    await expect(client.request("acme/never")).rejects.toMatchObject(closed);
    await expect(client.notify("acme/never")).rejects.toMatchObject(closed);
    await client.close();

    expect(wire.from("client")).toHaveLength(sentBefore);
    expect(onClose).toHaveBeenCalledTimes(1);
  },
);
