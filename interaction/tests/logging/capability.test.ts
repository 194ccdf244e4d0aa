import { McpServer, SdkError, type ServerContext } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { deferred } from "../../src/deferred.js";
import { verifies } from "../../src/verifies.js";
import { INFO, LOGGING, listen } from "./log-messages.fixture.js";

verifies(
  "logging:capability:declared",
  "a server that declares logging announces it, and another one does not",
  async ({ connect }) => {
    const loud = await connect(new McpServer({ name: "loud", ...LOGGING }));
    const silent = await connect(new McpServer({ name: "silent", version: "1.0.0" }));

    expect(loud.serverCapabilities).toEqual({ logging: {} });
    expect(silent.serverCapabilities).toEqual({});
  },
);

verifies(
  "logging:capability:undeclared",
  "a tool that logs on a server without logging fails, the author hears the reason, and no message goes out",
  async ({ connect, wire }) => {
    const errors: Error[] = [];
    const onError = (error: Error) => void errors.push(error);
    const server = new McpServer({ name: "silent", version: "1.0.0", onError });
    server.tool("work", {}, (_args, context) => {
      context.log.emergency("on fire");
      return "done";
    });
    const client = await connect(server);

    for (const options of [INFO, {}]) {
      expect(await client.callTool("work", {}, options)).toMatchObject({ isError: true });
    }

    const cause = { name: "SdkError", code: "capability-not-supported", message: expect.stringContaining("logging") };
    expect(errors).toMatchObject([{ cause }, { cause }]);
    expect(errors[0]?.cause).toBeInstanceOf(SdkError);
    expect(wire.methods("server")).toEqual([]);
  },
);

verifies(
  "logging:message:after-request",
  "a log message after the answer or the cancellation is neither sent nor thrown",
  async ({ connect, wire }) => {
    const contexts: ServerContext[] = [];
    const started = deferred();
    const released = deferred();
    const server = new McpServer({ name: "worker", ...LOGGING });
    server.tool("work", {}, (_args, context) => {
      contexts.push(context);
      context.log.info("during");
      return "done";
    });
    server.tool("hang", {}, async (_args, context) => {
      contexts.push(context);
      started.resolve();
      await released.promise;
      context.log.info("after the cancellation");
      return "done";
    });
    const client = await connect(server);
    const messages = listen(client);

    await client.callTool("work", {}, INFO);
    const controller = new AbortController();
    const hanging = client.callTool("hang", {}, { ...INFO, signal: controller.signal });
    await started.promise;
    controller.abort();
    await expect(hanging).rejects.toMatchObject({ code: "request-aborted" });
    await client.callTool("work", {}, INFO);
    released.resolve();
    for (const context of contexts) context.log.emergency("late");
    await client.callTool("work", {}, INFO);

    const during = { level: "info", data: "during" };
    expect(messages).toEqual([during, during, during]);
    expect(wire.methods("server")).toEqual(["notifications/message", "notifications/message", "notifications/message"]);
  },
);

verifies(
  "tools:call:logging-mid-execution",
  "a message arrives while the tool is still at work, and the last one before its result",
  async ({ connect }) => {
    const heardFirst = deferred();
    const events: unknown[] = [];
    const server = new McpServer({ name: "worker", ...LOGGING });
    server.tool("work", {}, async (_args, context) => {
      context.log.info("started");
      await heardFirst.promise;
      context.log.notice("finished");
      return "done";
    });
    const client = await connect(server);
    client.onNotification("notifications/message", ({ data }) => {
      events.push(data);
      heardFirst.resolve();
    });

    await client.callTool("work", {}, INFO).then(({ content }) => events.push(content));

    expect(events).toEqual(["started", "finished", [{ type: "text", text: "done" }]]);
  },
);

verifies(
  "mcpserver:context:logging",
  "each kind of handler logs for the request it serves, and so does middleware",
  async ({ connect }) => {
    const server = new McpServer({ name: "chatty", ...LOGGING });
    const say = (what: string) => (_given: unknown, context: ServerContext) => {
      context.log.info(what);
      return what;
    };
    server.use((call, next) => {
      if (call.method.startsWith("com.example/")) call.context?.log.info("middleware");
      return next();
    });
    server.tool("tool", {}, say("tool"));
    server.prompt("prompt", {}, say("prompt"));
    server.resource("chat://today", { name: "today" }, say("resource"));
    const complete = {
      day: (_typed: string, _settled: unknown, context: ServerContext) => [say("completer")({}, context)],
    };
    server.resourceTemplate("chat://days/{day}", { name: "day", complete }, say("template"));
    server.handle("com.example/own", { params: z.object({}) }, (_params, context) => {
      context.log.info("own method");
      return {};
    });
    const client = await connect(server);
    const messages = listen(client);

    await client.callTool("tool", {}, INFO);
    await client.getPrompt("prompt", {}, INFO);
    await client.readResource("chat://today", INFO);
    await client.readResource("chat://days/monday", INFO);
    const template = { type: "ref/resource", uri: "chat://days/{day}" } as const;
    await client.complete({ ref: template, argument: { name: "day", value: "" } }, INFO);
    await client.request("com.example/own", { _meta: { "io.modelcontextprotocol/logLevel": "info" } });

    const expected = ["tool", "prompt", "resource", "template", "completer", "middleware", "own method"];
    expect(messages).toEqual(expected.map((data) => ({ level: "info", data })));
  },
);

verifies(
  "logging:notify:refused",
  "context.notify rejects a log message and names context.log, and only messages of context.log arrive",
  async ({ connect, wire }) => {
    const server = new McpServer({ name: "loud", ...LOGGING });
    server.tool("shout", {}, async (_args, context) => {
      const shouted = context.notify("notifications/message", { level: "debug", data: "psst" });
      await expect(shouted).rejects.toMatchObject({
        name: "SdkError",
        code: "invalid-argument",
        message: expect.stringContaining("context.log"),
      });
      return "done";
    });
    const client = await connect(server);

    expect(await client.callTool("shout", {}, INFO)).toMatchObject({ content: [{ text: "done" }] });

    expect(wire.methods("server")).not.toContain("notifications/message");
  },
);
