import { beforeAll, describe, expect, it } from "vitest";
import { countInstantiations, declareParley, officialV2, parley, type Shape, TOOL_COUNT } from "./type-cost.js";

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

  it("is measured on files that the compiler understands to the end", async () => {
    const broken = { ...officialV2, tool: () => 'server.registerTool("x", {}, "not a function");' };
    await expect(countInstantiations(broken, "arguments", 1)).rejects.toThrow(/tools\.ts.*TS2769/);
  });
});

function figure(count: number): string {
  return count.toLocaleString("en-US");
}
