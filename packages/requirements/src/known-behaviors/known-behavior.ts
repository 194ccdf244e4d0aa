/**
 * Behaviors that other implementations of the protocol are known to have, by the names they go by elsewhere, and where
 * each stands here. A behavior is listed once: in one file of this folder, under one heading.
 */

/** Why a behavior has no counterpart here. */
export type NotApplicableReason =
  /** It belongs to the interface of another implementation; users of this one have no use for it. */
  "another-api";

export interface KnownBehaviors {
  /** Promised here under the same id. */
  readonly same: readonly string[];
  /** Promised here by these entries of the manifest. */
  readonly elsewhere: Readonly<Record<string, readonly string[]>>;
  /** Decided against: what these entries promise takes its place. */
  readonly otherwise: Readonly<Record<string, { readonly because: string; readonly instead: readonly string[] }>>;
  readonly notApplicable: Readonly<Record<string, { readonly reason: NotApplicableReason; readonly because: string }>>;
}
