import { describe, expect, it, vi } from "vitest";
import type { InboundRequest } from "../dispatch/dispatcher.js";
import { limitReached } from "../errors/limit-reached.js";
import { invalidParams, methodNotFound } from "../errors/protocol-error.js";
import type { JsonObject } from "../runtime/json.js";
import { CustomToolHeaders, type ServeAs } from "./custom-tool-headers.js";

const region = { type: "string", "x-mcp-header": "Region" };
const tool = (name: string, property: JsonObject = region) => ({
  name,
  inputSchema: { type: "object", properties: { region: property } },
});

function call(name: string, args: JsonObject, principal?: string): InboundRequest {
  return {
    id: 1,
    method: "tools/call",
    params: { name, arguments: args, _meta: { progressToken: 7, kept: true } },
    signal: new AbortController().signal,
    caller: { principal },
    isSettled: false,
    notify: () => Promise.reject(new Error("must not be sent")),
    request: () => Promise.reject(new Error("must not be sent")),
  };
}

const headers = { "mcp-param-region": "eu", other: "header" };
const MISMATCH = { code: -32020 };

describe("a tool of the server's own", () => {
  it("is looked up once for each principal, and again when the list has changed or a header seems wrong", async () => {
    const tools = new CustomToolHeaders();
    const serve = vi.fn<ServeAs>(() => ({ tools: [tool("query"), "no tool"] }));
    for (let count = 0; count < 2; count += 1) await tools.check(call("query", { region: "eu" }), headers, serve);
    expect(serve).toHaveBeenCalledTimes(1);
    await tools.check(call("query", { region: "eu" }, "ada"), headers, serve);
    expect(serve).toHaveBeenCalledTimes(2);
    tools.clear();
    await tools.check(call("query", { region: "eu" }), headers, serve);
    expect(serve).toHaveBeenCalledTimes(3);
    serve.mockImplementation(() => ({ tools: [tool("query", { type: "string" })] }));
    await tools.check(call("query", { region: "us" }), headers, serve);
    expect(serve).toHaveBeenCalledTimes(4);
  });

  it("has no headers if its annotations are against the rules", async () => {
    const serve = () => ({ tools: [tool("query", { type: "object", "x-mcp-header": "Region" })] });
    await expect(new CustomToolHeaders().check(call("query", {}), headers, serve)).resolves.toBeUndefined();
  });

  it("is refused with headers if it is not listed, on however many pages", async () => {
    const endless = vi.fn<ServeAs>(() => ({ tools: [], nextCursor: "more" }));
    const refusal = { ...MISMATCH, message: expect.stringContaining('tools/list has no tool "query"') };
    await expect(new CustomToolHeaders().check(call("query", {}), headers, endless)).rejects.toMatchObject(refusal);
    expect(endless).toHaveBeenCalledTimes(100);
    const unlisted = () => Promise.reject(methodNotFound("tools/list"));
    await expect(new CustomToolHeaders().check(call("query", {}), headers, unlisted)).rejects.toMatchObject(refusal);
    await expect(new CustomToolHeaders().check(call("query", {}), {}, unlisted)).resolves.toBeUndefined();
  });

  it("is not looked up again for ten seconds if it is not listed, unless the list has changed", async () => {
    let nowMs = 0;
    const tools = new CustomToolHeaders(() => nowMs);
    const serve = vi.fn<ServeAs>(() => ({ tools: [] }));
    const check = () => tools.check(call("query", { region: "eu" }), headers, serve);
    await expect(check()).rejects.toMatchObject(MISMATCH);
    nowMs = 9_999;
    await expect(check()).rejects.toMatchObject(MISMATCH);
    expect(serve).toHaveBeenCalledTimes(1);
    nowMs = 10_000;
    await expect(check()).rejects.toMatchObject(MISMATCH);
    expect(serve).toHaveBeenCalledTimes(2);
    serve.mockImplementation(() => ({ tools: [tool("query"), tool("other")] }));
    tools.clear();
    await check();
    expect(serve).toHaveBeenCalledTimes(3);
  });

  it("is looked up again if the list changed while it was read", async () => {
    const tools = new CustomToolHeaders();
    const serve = vi.fn<ServeAs>(() => ({ tools: [tool("query")] }));
    serve.mockImplementationOnce(() => {
      tools.clear();
      return {};
    });
    await expect(tools.check(call("query", { region: "eu" }), headers, serve)).rejects.toMatchObject(MISMATCH);
    await tools.check(call("query", { region: "eu" }), headers, serve);
    expect(serve).toHaveBeenCalledTimes(2);
  });

  it("is known as soon as the list that is read for another tool has it", async () => {
    const tools = new CustomToolHeaders();
    const serve = vi.fn<ServeAs>(() => ({ tools: [tool("other")] }));
    await tools.check(call("query", {}), {}, serve);
    serve.mockImplementation(() => ({ tools: [tool("query"), tool("new")] }));
    await tools.check(call("new", {}), {}, serve);
    await tools.check(call("query", { region: "eu" }), headers, serve);
    await expect(tools.check(call("query", { region: "us" }), headers, serve)).rejects.toMatchObject(MISMATCH);
    expect(serve).toHaveBeenCalledTimes(3);
  });

  it("is looked up again once 10,000 others were not listed either", async () => {
    const tools = new CustomToolHeaders(() => 0);
    const serve = vi.fn<ServeAs>(() => ({}));
    for (let index = 0; index <= 10_000; index += 1) await tools.check(call(`tool-${index}`, {}), {}, serve);
    await tools.check(call("tool-1", {}), {}, serve);
    expect(serve).toHaveBeenCalledTimes(10_001);
    await tools.check(call("tool-0", {}), {}, serve);
    expect(serve).toHaveBeenCalledTimes(10_002);
  });

  it("remembers no more than 10,000 tools", async () => {
    const tools = new CustomToolHeaders();
    const names = Array.from({ length: 10_001 }, (_, index) => `tool-${index}`);
    const serve = vi.fn<ServeAs>(() => ({ tools: names.map((name) => tool(name)) }));
    await tools.check(call("tool-10000", {}), {}, serve);
    await tools.check(call("tool-1", {}), {}, serve);
    expect(serve).toHaveBeenCalledTimes(1);
    await tools.check(call("tool-0", {}), {}, serve);
    expect(serve).toHaveBeenCalledTimes(2);
  });

  it.each([new Error("crashed"), limitReached("server", "crashed"), invalidParams("crashed")])(
    "fails with its list: %s",
    async (failure) => {
      const failing = () => Promise.reject(failure);
      await expect(new CustomToolHeaders().check(call("query", {}), headers, failing)).rejects.toBe(failure);
    },
  );

  it("is listed in the name of the caller, who hears nothing of it", async () => {
    const inbound = call("query", {}, "ada");
    const serve = async (listing: InboundRequest) => {
      const { id, method, params, signal, caller, isSettled } = listing;
      expect({ id, method, params, isSettled }).toEqual({
        id: 1,
        method: "tools/list",
        params: { _meta: { kept: true } },
        isSettled: false,
      });
      expect(signal).toBe(inbound.signal);
      expect(caller).toBe(inbound.caller);
      await expect(listing.notify("notifications/progress")).resolves.toBeUndefined();
      await expect(listing.request("roots/list")).rejects.toMatchObject({ code: "method-not-in-revision" });
      return { tools: [tool("query")] };
    };
    await new CustomToolHeaders().check(inbound, {}, serve);
    await new CustomToolHeaders().check({ ...inbound, params: undefined }, {}, () => ({}));
  });
});
