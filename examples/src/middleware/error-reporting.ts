/** Crashes under a reference: the client can quote it, the details stay on the server. */
import { ProtocolError, type ServerContext, ToolError } from "parley-mcp/server";
import { ErrorCode, type Middleware } from "parley-mcp/types";

export interface CrashReport {
  readonly reference: string;
  readonly method: string;
  readonly error: unknown;
}

export interface ErrorReportingOptions {
  readonly report: (crash: CrashReport) => void;
  readonly newReference?: () => string;
}

export function errorReporting(options: ErrorReportingOptions): Middleware<ServerContext> {
  const { report, newReference = () => crypto.randomUUID() } = options;

  return async ({ context, method }, next) => {
    try {
      return await next();
    } catch (error) {
      // These two are meant for the client, and nobody waits for the answer to a cancelled request.
      const isMeant = error instanceof ProtocolError || error instanceof ToolError;
      if (!context || isMeant || context.signal.aborted) throw error;
      const reference = newReference();
      report({ reference, method, error });
      throw new ProtocolError(ErrorCode.internalError, `Internal error, reference ${reference}`, {
        data: { reference },
        cause: error,
      });
    }
  };
}
