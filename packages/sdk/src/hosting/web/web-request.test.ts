import { expect, test } from "vitest";
import { Quota } from "../../runtime/quota.js";
import { ArrivingBodies } from "../http/request-message.js";
import { WebRequest } from "./web-request.js";

test("the bytes of a body count for its principal until it is read", async () => {
  const bytes = new Quota(1_000, 1_000);
  const request = new Request("http://localhost/mcp", { method: "POST", body: "x".repeat(60) });
  const received = new WebRequest(request, undefined, 1_000, new ArrivingBodies(1_000, bytes), undefined);

  const text = await new Promise((resolve, reject) => received.readBody(100, "alice", resolve, reject));

  expect(text).toBe("x".repeat(60));
  expect(bytes.usedBy("alice")).toBe(0);
});
