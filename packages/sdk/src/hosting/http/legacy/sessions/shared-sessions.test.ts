import { expect, test, vi } from "vitest";
import { replicas } from "./replicas.fixture.js";

test("requests that wait for the same session subscribe to its channel once", async () => {
  const { open, ends } = replicas((server) => server.tool("quick", () => "done"));
  const [, b] = await open();
  const subscribe = vi.spyOn(ends[1], "subscribe");

  const calls = [b.call(1, "quick"), b.call(2, "quick"), b.call(3, "quick")];
  const answers = await Promise.all(calls.map((response) => response.ended()));

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(subscribe).toHaveBeenCalledTimes(1);
});
