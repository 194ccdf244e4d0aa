/** The work every contender does: one tool with a Zod input and output schema, and the answers that are right. */
import { z } from "zod";

export const TOOL = "quote";
export const DESCRIPTION = "Price an order line by line";

/** Fresh ones at each call: an implementation that remembers what it knows of a schema must do so for each. */
export function quoteSchemas() {
  const input = z.object({
    sku: z.string().min(1),
    quantity: z.number().int().min(1).max(1_000),
    express: z.boolean().optional(),
  });
  const output = z.object({
    sku: z.string(),
    total: z.number(),
    currency: z.enum(["EUR", "USD"]),
    lines: z.array(z.object({ label: z.string(), amount: z.number() })),
  });
  return { inputSchema: input, outputSchema: output };
}

export const { inputSchema, outputSchema } = quoteSchemas();

export type Order = { sku: string; quantity: number; express?: boolean | undefined };
export type Quote = z.infer<typeof outputSchema>;

/** A tool result as it reaches the caller. Nothing about its shape is trusted before `check`. */
export interface Answer {
  readonly structuredContent?: unknown;
  readonly content?: unknown;
}

/** The handler answers this order with a value that its own output schema forbids. */
export const MISPRICED = "mispriced";

const UNIT_PRICE = 7;
const EXPRESS_PRICE = 15;

export function quote({ sku, quantity, express }: Order): Quote {
  const lines = [{ label: "goods", amount: quantity * UNIT_PRICE }];
  if (express === true) lines.push({ label: "express", amount: EXPRESS_PRICE });
  const total = sku === MISPRICED ? Number.NaN : lines.reduce((sum, line) => sum + line.amount, 0);
  return { sku, total, currency: "EUR", lines };
}

/** The result in the form implementations expect whose handlers spell it out: the value and its JSON as text. */
export function quoteResult(order: Order): { content: { type: "text"; text: string }[]; structuredContent: Quote } {
  const structuredContent = quote(order);
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

export interface Job {
  readonly order: Order;
  readonly expected: Quote;
  readonly text: string;
}

/** Orders differ from call to call, so that a remembered or a swapped answer shows. */
const JOBS: readonly Job[] = Array.from({ length: 64 }, (_, index) => {
  const order = { sku: `sku-${index}`, quantity: index + 1, express: index % 2 === 0 };
  const expected = quote(order);
  return { order, expected, text: JSON.stringify(expected) };
});

export function jobAt(index: number): Job {
  return JOBS[index % JOBS.length] as Job; // The index is within the array by the remainder.
}

/** Each call counts against the rate of its client, and no measurement reaches it. */
export const UNREACHED_RATES = { "tools/call": { perSecond: 1e9, burst: 1e9 } };

/** @throws {Error} if the answer is not the quote for the job, or lacks its text. */
export function check(job: Job, answer: Answer): void {
  const actual = answer.structuredContent as Partial<Quote> | undefined;
  const text = (answer.content as { text?: unknown }[] | undefined)?.[0]?.text;
  if (isQuote(job.expected, actual) && text === job.text) return;
  throw new Error(`${job.order.sku}: expected ${job.text} as value and as text, got ${JSON.stringify(answer)}`);
}

/** Field by field: a generic deep comparison would cost more than some of what is measured. */
function isQuote(expected: Quote, actual: Partial<Quote> | undefined): boolean {
  return (
    actual?.sku === expected.sku &&
    actual.total === expected.total &&
    actual.currency === expected.currency &&
    actual.lines?.length === expected.lines.length &&
    expected.lines.every((line, index) => {
      const other = actual.lines?.[index];
      return other?.label === line.label && other.amount === line.amount;
    })
  );
}
