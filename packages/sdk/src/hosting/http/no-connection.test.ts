import { expect, it } from "vitest";
import { NO_CONNECTION } from "./no-connection.js";

it("sends nothing, and closing it changes nothing", async () => {
  await expect(NO_CONNECTION.request("roots/list")).rejects.toMatchObject({ code: "method-not-in-revision" });
  await expect(NO_CONNECTION.notify("acme/note")).rejects.toMatchObject({ code: "method-not-in-revision" });
  await NO_CONNECTION.close();
  expect(NO_CONNECTION.isClosed).toBe(false);
});
