import { expect, it } from "vitest";
import type { Dispatcher } from "../../dispatch/dispatcher.js";
import { LATEST_MODERN_REVISION } from "../../protocol/revisions.js";
import { McpServer } from "../../server/mcp-server.js";
import { ModernService } from "./modern-service.js";

it("accepts its server with a sender that rejects messages outside of a request", async () => {
  const { hosting } = new McpServer({ name: "s", version: "1.0.0" });
  const senders: Dispatcher[] = [];
  const accept: typeof hosting.accept = (sender, options) => {
    senders.push(sender);
    return hosting.accept(sender, options);
  };
  const capturing = Object.create(hosting, { accept: { value: accept } });
  new ModernService(capturing, [LATEST_MODERN_REVISION], () => undefined, 15_000);

  const [sender] = senders as [Dispatcher];
  const refusal = { code: "method-not-in-revision", message: "A modern server sends only what belongs to a request" };
  await expect(sender.request("roots/list")).rejects.toMatchObject(refusal);
  await expect(sender.notify("notifications/tools/list_changed")).rejects.toMatchObject(refusal);
  await expect(sender.requestBatch([])).rejects.toMatchObject(refusal);
  expect(await sender.close()).toBeUndefined();
  expect(sender.isClosed).toBe(false);
});
