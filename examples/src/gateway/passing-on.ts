/**
 * Passes single requests on: their progress comes back, cancelling them cancels upstream, and what the server upstream
 * asks, the caller is asked. The two sides may be of different eras.
 */
import { type Client, ProtocolError } from "parley-mcp/client";
import type { ServerContext } from "parley-mcp/server";
import type { ElicitFormParams, ElicitResult, InputRequiredResult, JsonObject } from "parley-mcp/types";

export class PassingOn {
  /** A legacy server does not say which request its question is about, so there has to be exactly one. */
  readonly #contexts = new Set<ServerContext>();

  async request<Result>(
    upstream: Client,
    method: string,
    params: JsonObject,
    context: ServerContext,
  ): Promise<Result | InputRequiredResult> {
    const { inputResponses, requestState } = context;
    const answers = { ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) };
    this.#contexts.add(context);
    try {
      // Asked for by its name, a result is handed out as it came. A modern server's questions are an unfinished result,
      // so they go on to the caller, who comes back with the answers in the context.
      const { resultType, ...result } = await upstream.request(
        method,
        { ...params, ...answers },
        {
          signal: context.signal,
          timeoutMs: Number.POSITIVE_INFINITY,
          onProgress: ({ progress, total, message }) => void context.progress(progress, total, message),
        },
      );
      if (resultType === "input_required") return { resultType, ...result };
      // The client has checked it against the shape of the method's results.
      return result as Result;
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // A received error is opaque to the caller unless it is thrown anew. This gateway trusts the server upstream.
      throw new ProtocolError(error.code, error.message, { data: error.data, cause: error });
    } finally {
      this.#contexts.delete(context);
    }
  }

  /** Answers a legacy server, which asks in the middle of a request. */
  async elicit({ message, requestedSchema }: ElicitFormParams): Promise<ElicitResult> {
    const [context, ...others] = this.#contexts;
    if (!context || others.length > 0) return { action: "cancel" };
    try {
      const { action, content } = await context.elicit({ message, schema: { ...requestedSchema } });
      // Checked against the form that the server sent.
      return action === "accept" ? { action, content: content as NonNullable<ElicitResult["content"]> } : { action };
    } catch {
      // A modern caller is asked by ending its request. It comes back with the answer, and all of this happens again.
      return { action: "cancel" };
    }
  }
}
