/** The workload with plain JSON Schema in place of Zod: what remains is what an implementation loads for itself. */
import type { Order, Quote } from "../workload.js";

export type { Order } from "../workload.js";

export const INPUT_SCHEMA = {
  type: "object" as const,
  properties: {
    sku: { type: "string", minLength: 1 },
    quantity: { type: "integer", minimum: 1, maximum: 1_000 },
    express: { type: "boolean" },
  },
  required: ["sku", "quantity"],
};

export const OUTPUT_SCHEMA = {
  type: "object" as const,
  properties: {
    sku: { type: "string" },
    total: { type: "number" },
    currency: { enum: ["EUR", "USD"] },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: { label: { type: "string" }, amount: { type: "number" } },
        required: ["label", "amount"],
      },
    },
  },
  required: ["sku", "total", "currency", "lines"],
};

/** The same as the workload's, whose module would load Zod. */
export function quote({ sku, quantity, express }: Order): Quote {
  const lines = [{ label: "goods", amount: quantity * 7 }];
  if (express === true) lines.push({ label: "express", amount: 15 });
  return { sku, total: lines.reduce((sum, line) => sum + line.amount, 0), currency: "EUR", lines };
}
