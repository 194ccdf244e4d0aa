import { expect, it, vi } from "vitest";
import type { Dispatcher } from "../dispatch/dispatcher.js";
import { receivedError } from "../errors/protocol-error.js";
import { defineMethod, type MethodDefinition } from "../routing/method-definition.js";
import type { JsonObject } from "../runtime/json.js";
import { ClientExtensions } from "./extensions.js";
import { NegotiatedConnection } from "./negotiated-connection.js";
import { UnfinishedCalls } from "./unfinished-calls.js";

function connectionTo(answer: JsonObject | Error, ...definitions: MethodDefinition[]) {
  const extensions = new ClientExtensions(
    {},
    {
      answer: vi.fn(),
      listen: vi.fn(),
      taskSupport: vi.fn(),
      unfinished: new UnfinishedCalls(),
    },
  );
  for (const definition of definitions) extensions.define(definition);
  const report = vi.fn<(error: Error) => void>();
  const dispatcher: Pick<Dispatcher, "request" | "carriesHeaders"> = {
    request: async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    },
    carriesHeaders: false,
  };
  const connection = new NegotiatedConnection(
    dispatcher as Dispatcher,
    { revision: "2025-11-25", server: {} },
    {
      identity: { info: { name: "c", version: "1.0.0" }, capabilities: {} },
      isStrict: false,
      middleware: [],
      extensions,
      report,
    },
  );
  const exchange = (method: string) => connection.exchange({ method, params: {}, options: {} });
  return { connection, exchange, report };
}

it("rejects a malformed result of a method that has no list to save", async () => {
  const { exchange, report } = connectionTo({ completion: { values: "a" } });
  const rejected = {
    code: "invalid-result",
    message: expect.stringContaining("completion/complete: result.completion"),
  };
  await expect(exchange("completion/complete")).rejects.toMatchObject(rejected);
  expect(report).not.toHaveBeenCalled();
});

it.each([
  [1, "left out one malformed part of the answer"],
  [2, "left out 2 malformed parts of the answer"],
])("leaves out %i malformed items of a list, and reports it", async (count, message) => {
  const sound = { name: "a", inputSchema: { type: "object" } };
  const { exchange, report } = connectionTo({ tools: [sound, ...Array.from({ length: count }, () => ({ name: 7 }))] });
  expect(await exchange("tools/list")).toEqual({ tools: [sound] });
  expect(report.mock.calls).toMatchObject([[{ code: "invalid-result", message: expect.stringContaining(message) }]]);
});

it.each([{ ttlMs: "60000" }, { ttlMs: 1.5 }, { cacheScope: "all" }])(
  "rejects the hint %j of a cacheable method that the client defined last",
  async (hint) => {
    const schemas = { params: {}, result: {} };
    const cacheable = defineMethod("acme/jobs", { ...schemas, cacheable: true });
    const { exchange } = connectionTo(hint, defineMethod("acme/jobs", schemas), cacheable);
    await expect(exchange("acme/jobs")).rejects.toMatchObject({
      code: "invalid-result",
      message: expect.stringContaining(`acme/jobs: result.${Object.keys(hint)[0]}`),
    });
  },
);

it("has no headers of the connection where requests carry none", async () => {
  expect(await connectionTo({}).connection.connectionHeaders()).toEqual({});
});

it("rejects a malformed task as the answer to a call with the param task", async () => {
  const { connection } = connectionTo({ task: { taskId: 7 } });
  const call = connection.exchange({ method: "tools/call", params: { name: "a", task: {} }, options: {} });
  await expect(call).rejects.toMatchObject({
    code: "invalid-result",
    message: expect.stringContaining("tools/call: result.task"),
  });
});

it("says how to declare an extension that the server requires", async () => {
  const data = { requiredCapabilities: { extensions: { "com.example/jobs": {} } } };
  const { exchange } = connectionTo(receivedError(-32021, "Not declared", data));
  await expect(exchange("tools/call")).rejects.toThrow(
    "the client needs the extension com.example/jobs in its options",
  );
});
