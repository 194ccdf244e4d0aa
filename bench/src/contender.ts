/** What is measured: one implementation, set up in one way, that answers the calls of workload.ts. */
import type { Role } from "./figure.js";
import type { Answer, Order } from "./workload.js";

export type Era = "modern" | "legacy";

export const REVISION = { modern: "2026-07-28", legacy: "2025-11-25" } as const satisfies Record<Era, string>;

export interface Contender {
  readonly name: string;
  readonly era: Era;
  readonly role: Role;
  /** How it differs from a plain round trip of its own client and server, if it does. */
  readonly note?: string;
  start(): Promise<Session>;
}

export interface Session {
  call(order: Order): Promise<Answer>;
  stop(): Promise<void>;
}
