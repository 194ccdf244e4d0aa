import { expect, test } from "vitest";
import { isMetaKey, isReservedMetaKey, MetaKey, metaComplaint } from "./meta-keys.js";

test.each([...Object.values(MetaKey), "", "a", "a.b_c-d", "com.example/", "com.example/name", "x/y", "a-1.b2/0"])(
  "%j is a well-formed key",
  (key) => {
    expect(isMetaKey(key)).toBe(true);
  },
);

test.each(["-a", "a-", "a b", "/name", "com..example/a", "1com/a", "com-/a", "com.example/a/b", "com.example/-a", "é"])(
  "%j is no well-formed key",
  (key) => {
    expect(isMetaKey(key)).toBe(false);
  },
);

test.each(["io.modelcontextprotocol/x", "dev.mcp/x", "org.modelcontextprotocol.api/x", "com.mcp.tools/x"])(
  "%s is kept for the protocol",
  (key) => {
    expect(isReservedMetaKey(key)).toBe(true);
  },
);

test.each(["progressToken", "com.example/x", "mcp/x", "com.example.mcp/x", "com.mcptools/x"])(
  "%s is free to use",
  (key) => {
    expect(isReservedMetaKey(key)).toBe(false);
  },
);

test("the first wrong key of what goes out is named, cut short", () => {
  expect(metaComplaint({ "com.example/a": 1, "a b": 2, "-": 3 })).toMatch(/^_meta\["a b"\]: expected a key such as/);
  expect(metaComplaint({ ["-".repeat(101)]: 1 })).toMatch(/^_meta\["-{100}…"\]/);
  expect(metaComplaint({ ["-".repeat(100)]: 1 })).toMatch(/^_meta\["-{100}"\]/);
  expect(metaComplaint({ progressToken: 1, traceparent: "" })).toBeUndefined();
  expect(metaComplaint("no object")).toBeUndefined();
});
