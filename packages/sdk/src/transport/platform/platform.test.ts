import { afterEach, expect, it, vi } from "vitest";
import { CallController } from "../http/call-controller.js";
import { ChildProcessTransport } from "../node/child-process-transport.js";
import { platform as nodePlatform } from "./node-platform.js";
import { platform as webPlatform } from "./web-platform.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

const call = {
  method: "GET",
  url: new URL("http://127.0.0.1:1/"),
  headers: {},
  controller: new CallController(),
} as const;

it("calls the fetch of the day on web-standard runtimes", async () => {
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
  expect((await webPlatform.http(call)).status).toBe(204);
});

it("does without fetch on Node", async () => {
  vi.stubGlobal("fetch", () => {
    throw new Error("not to be called");
  });
  await expect(nodePlatform.http(call)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

it("checks the addresses of names on Node alone", async () => {
  const named = { ...call, url: new URL("http://localhost:1/") };
  const refuse = (hostname: string) => new Error(`${hostname} is refused`);
  await expect(nodePlatform.checkedHttp(refuse)(named)).rejects.toThrow("localhost is refused");
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
  expect((await webPlatform.checkedHttp(refuse)(named)).status).toBe(204);
});

it("takes dispatchers on Node alone", async () => {
  const refusing = {
    dispatch: () => {
      throw new Error("dispatched");
    },
  };
  await expect(nodePlatform.dispatcherHttp(refusing)(call)).rejects.toThrow("dispatched");
  expect(() => webPlatform.dispatcherHttp(refusing)).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("pass `fetch`") }),
  );
});

it("runs programs on Node alone", () => {
  expect(nodePlatform.spawn({ command: "server" })).toBeInstanceOf(ChildProcessTransport);
  expect(() => webPlatform.spawn({ command: "server" })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining('"server"') }),
  );
});
