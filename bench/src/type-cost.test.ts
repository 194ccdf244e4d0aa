import { beforeAll, describe, expect, it } from "vitest";
import {
  countInstantiations,
  type Dialect,
  declareParley,
  officialV2,
  parley,
  type Shape,
  TOOL_COUNT,
} from "./type-cost.js";

describe("what 200 Zod tools cost the compiler", () => {
  beforeAll(declareParley, 60_000);

  it.each<Shape>(["arguments", "structured"])("is no more than with the official SDK (%s)", async (shape) => {
    const ours = await countInstantiations(parley, shape);
    const theirs = await countInstantiations(officialV2, shape);
    const first = await countInstantiations(parley, shape, 1);
    const theirFirst = await countInstantiations(officialV2, shape, 1);

    const percent = Math.abs(1 - ours / theirs).toLocaleString("en-US", { style: "percent", maximumFractionDigits: 1 });
    const summary =
      `${TOOL_COUNT} tools, ${shape}: ours ${figure(ours)}, official v2 ${figure(theirs)} type instantiations, ` +
      `${percent} ${ours <= theirs ? "less" : "more"} (the first tool: ${figure(first)} and ${figure(theirFirst)})`;
    console.log(summary);
    expect(ours, summary).toBeLessThanOrEqual(theirs);
  });

  // A type that quietly became `any` would be the cheapest of all.
  it.each([parley, officialV2])("is measured with handlers that know their arguments ($name)", async (dialect) => {
    const misspelled: Dialect = { ...dialect, tool: (parts) => dialect.tool({ ...parts, parameters: "{ nothing }" }) };
    await expect(countInstantiations(misspelled, "arguments", 1)).rejects.toThrow("Property 'nothing' does not exist");
  });

  it("is measured with handlers that must return what the output schema says", async () => {
    const wrong: Dialect = { ...parley, tool: (parts) => parley.tool({ ...parts, value: '{ key0: "text" }' }) };
    await expect(countInstantiations(wrong, "structured", 1)).rejects.toThrow("not assignable to type");
  });
});

function figure(count: number): string {
  return count.toLocaleString("en-US");
}
