import { expect, it } from "vitest";
import { mirroredName } from "./http-headers.js";

it("knows what Mcp-Name mirrors for each method that has it", () => {
  expect(mirroredName("tools/call", { name: "add", uri: "x:" })).toBe("add");
  expect(mirroredName("prompts/get", { name: "greet" })).toBe("greet");
  expect(mirroredName("resources/read", { name: "n", uri: "notes://today" })).toBe("notes://today");
  expect(mirroredName("tasks/get", { taskId: "7" })).toBe("7");
  expect(mirroredName("tools/list", { name: "add" })).toBeUndefined();
  expect(mirroredName("tools/call", { name: 7 })).toBeUndefined();
  expect(mirroredName("tools/call", undefined)).toBeUndefined();
});
