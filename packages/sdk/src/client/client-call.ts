/** The types of a client's call and of the steps that process it. call-pipeline.ts lists the steps. */
import type { JsonObject } from "../runtime/json.js";
import type { CallOptions } from "./call-options.js";
import type { NegotiatedConnection } from "./negotiated-connection.js";

export interface ClientCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: CallOptions;
}

/** A call and the connection that carries it. */
export interface ConnectionCall extends ClientCall {
  readonly connection: NegotiatedConnection;
}

/** Sends a call and resolves with its result. Rejects with every error, and never throws. */
export type SendCall<Call = ClientCall> = (call: Call) => Promise<JsonObject>;

/**
 * One step of a call. `next` runs the steps after it. A step may change the call or the result, answer without `next`, or run
 * `next` again.
 */
export type CallStep<Call = ClientCall> = (call: Call, next: SendCall<Call>) => Promise<JsonObject>;

/** Composes steps, outermost first. A client composes them once, so that a call allocates no closures for it. */
export function chain<Call>(steps: readonly CallStep<Call>[], last: SendCall<Call>): SendCall<Call> {
  return steps.reduceRight<SendCall<Call>>((next, step) => (call) => step(call, next), last);
}
