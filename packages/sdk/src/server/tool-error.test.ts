import { describe, expect, it } from "vitest";
import { fromWireError } from "../errors/error-mapping.js";
import { SdkError } from "../errors/sdk-error.js";
import { ToolError, toolFailure } from "./tool-error.js";

const named = { name: "book" };
const textOf = (thrown: unknown, exposesMessages: boolean) =>
  toolFailure(thrown, named, exposesMessages).result.content as [{ text: string }];
const opaque = [{ type: "text", text: "The tool failed. Its server has recorded the reason." }];

describe("what the caller of a failed tool reads", () => {
  it.each([false, true])("is the message of a ToolError, which nobody has to be told of (%s)", (exposesMessages) => {
    expect(toolFailure(new ToolError("Sold out"), named, exposesMessages)).toEqual({
      result: { content: [{ type: "text", text: "Sold out" }], isError: true },
      report: undefined,
    });
  });

  it.each([new Error("hunter2"), new SdkError("invalid-result", "hunter2"), "hunter2", undefined])(
    "is nothing of %s, which is reported",
    (thrown) => {
      expect(textOf(thrown, false)).toEqual(opaque);
      const { report } = toolFailure(thrown, named, false);
      expect([report?.code, report?.cause]).toEqual(["handler-failed", thrown]);
    },
  );

  it("is the message of any error where the author says so, and the error is reported all the same", () => {
    const thrown = new TypeError("No such flight");
    expect(textOf(thrown, true)).toEqual([{ type: "text", text: "No such flight" }]);
    expect(toolFailure(thrown, named, true).report).toMatchObject({ cause: thrown });
  });

  it.each([
    fromWireError({ code: -32603, message: "hunter2" }),
    new SdkError("invalid-result", "hunter2"),
    "hunter2",
    { message: "hunter2" },
  ])("is never what another server may have written, nor what is no error: %s", (thrown) =>
    expect(textOf(thrown, true)).toEqual(opaque),
  );

  it.each([
    [named, 'Tool "book" failed: its caller got a result with isError'],
    [{ name: 7 }, "A tool failed: its caller got a result with isError"],
    [undefined, "A tool failed: its caller got a result with isError"],
  ])("is reported with the tool that %j names", (params, message) => {
    expect(toolFailure(new Error("hunter2"), params, false).report?.message).toBe(message);
  });
});
