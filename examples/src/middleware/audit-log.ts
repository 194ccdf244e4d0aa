/** One entry per request: who asked for what, how it ended, how long it took. Argument values stay out of it. */
import { ProtocolError, type ServerContext, ToolError } from "parley-mcp/server";
import type { JsonObject, Middleware } from "parley-mcp/types";

export interface AuditEntry {
  readonly at: string;
  readonly who: string;
  readonly method: string;
  /** The tool, prompt or resource. */
  readonly target?: string;
  /** The names of the arguments, with their values where those may be shown. */
  readonly arguments?: JsonObject;
  /** `ok`, `input_required`, `tool_error`, `cancelled`, `error <code>` or `crashed`. */
  readonly outcome: string;
  readonly durationMs: number;
}

export interface AuditLogOptions {
  readonly write: (entry: AuditEntry) => void;
  readonly whose?: (context: ServerContext) => string;
  /** Arguments whose values may be written. Anything else shows as its type: a list of secrets is never complete. */
  readonly shown?: readonly string[];
  readonly now?: () => number;
}

export function auditLog(options: AuditLogOptions): Middleware<ServerContext> {
  const { write, shown = [], now = Date.now } = options;
  const { whose = (context) => context.caller?.principal ?? "anonymous" } = options;

  return async ({ context, method, params }, next) => {
    if (!context) return next();
    const startedMs = now();
    const target = params.name ?? params.uri;
    const record = (outcome: string) =>
      write({
        at: new Date(startedMs).toISOString(),
        who: whose(context),
        method,
        ...(typeof target === "string" && { target }),
        ...(isObject(params.arguments) && { arguments: redact(params.arguments, shown) }),
        outcome,
        durationMs: now() - startedMs,
      });
    try {
      const result = await next();
      record(outcomeOf(result));
      return result;
    } catch (error) {
      record(context.signal.aborted ? "cancelled" : outcomeOfError(error));
      throw error;
    }
  };
}

function redact(given: JsonObject, shown: readonly string[]): JsonObject {
  const entries = Object.entries(given).map(([name, value]) => [
    name,
    shown.includes(name) ? value : `(${typeof value})`,
  ]);
  return Object.fromEntries(entries);
}

function outcomeOf(result: unknown): string {
  if (!isObject(result)) return "ok";
  if (result.resultType === "input_required") return "input_required";
  return result.isError === true ? "tool_error" : "ok";
}

function outcomeOfError(error: unknown): string {
  if (error instanceof ToolError) return "tool_error";
  return error instanceof ProtocolError ? `error ${error.code}` : "crashed";
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
