/**
 * The judge that is always there: the schemas published in @modelcontextprotocol/core. They hold one vocabulary for all
 * revisions, so they see a malformed message but not one that its revision lacks.
 */
import * as published from "@modelcontextprotocol/core";
import type { Judge, Statement } from "./statement.js";

interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: Error };
  readonly shape?: { readonly method?: { readonly values?: ReadonlySet<unknown> } };
}

const schemas: ReadonlyMap<string, Schema> = new Map(
  // The package exports nothing but its schemas.
  Object.entries(published).map(([name, schema]) => [name.replace(/Schema$/, ""), schema as unknown as Schema]),
);

const byMethod: ReadonlyMap<string, string> = new Map(
  [...schemas].flatMap(([name, { shape }]) =>
    [...(shape?.method?.values ?? [])].map((method) => [String(method), name]),
  ),
);

const envelopes = {
  request: "JSONRPCRequest",
  notification: "JSONRPCNotification",
  result: "JSONRPCResultResponse",
  error: "JSONRPCErrorResponse",
} as const;

export const publishedSchemas: Judge = {
  name: "@modelcontextprotocol/core",
  complaint(statement) {
    const { kind, method, message } = statement;
    const inEnvelope = check(envelopes[kind], message);
    if (inEnvelope !== undefined || kind === "error") return inEnvelope;
    const named = byMethod.get(method ?? "");
    if (kind === "result") return check(resultName(named, statement), "result" in message ? message.result : undefined);
    return named === undefined ? undefined : check(named, message);
  },
};

function resultName(request: string | undefined, { revision, message, isTask }: Statement): string {
  if (isTask) return "CreateTaskResult";
  const named = request?.replace(/Request$/, "Result") ?? "Result";
  // The name without tools is narrower than the specification, which has lists of content in every answer.
  if (named === "CreateMessageResult") return "CreateMessageResultWithTools";
  // They have no name for a result that asks for input.
  const needsInput = "result" in message && message.result.resultType === "input_required";
  if (schemas.has(named) && !needsInput) return named;
  // The empty result there is closed to members, and a modern one has its kind.
  return revision === "2026-07-28" ? "Result" : "EmptyResult";
}

function check(name: string, value: unknown): string | undefined {
  const outcome = schemas.get(name)?.safeParse(value);
  if (!outcome) return `there is no ${name}Schema to check with`;
  return outcome.success ? undefined : `${name}Schema: ${outcome.error?.message}`;
}
