/** What the floor answers: as long as a right answer is, and the same whatever it is asked. */
import { z } from "zod";
import type { Tool } from "../tools.js";
import { jobAt, quoteResult } from "../workload.js";
import type { HttpMode } from "./http-contender.js";

/** What every result of the modern era carries. */
export const MODERN_STAMP = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "bench", version: "1.0.0" } },
};

/** With one tool the result of a call, with many their list. */
export function constantAnswer(mode: HttpMode, tools: readonly Tool[]): string {
  const result = tools.length === 1 ? quoteResult(jobAt(0).order) : { tools: tools.map(listed) };
  const stamped = mode === "modern" ? { ...result, ...MODERN_STAMP } : result;
  return JSON.stringify({ jsonrpc: "2.0", id: 1, result: stamped });
}

/** A tool as `tools/list` shows it. */
export function listed({ name, description, inputSchema, outputSchema }: Tool): object {
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(inputSchema),
    outputSchema: z.toJSONSchema(outputSchema),
  };
}
