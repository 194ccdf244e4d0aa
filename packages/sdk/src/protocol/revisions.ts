/** The protocol's revisions and the two eras they belong to. All differences between revisions are keyed by these names. */

export const LEGACY_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN_REVISIONS = ["2026-07-28"] as const;

/** A revision that opens with an `initialize` handshake. */
export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];
/** A revision in which every request carries its own metadata. */
export type ModernRevision = (typeof MODERN_REVISIONS)[number];
/** A revision of the protocol, by its date. */
export type Revision = LegacyRevision | ModernRevision;
/** `legacy` revisions open with a handshake. In the `modern` era every request carries its own metadata. */
export type Era = "legacy" | "modern";

/** Every revision, oldest first. */
export const REVISIONS: readonly Revision[] = [...LEGACY_REVISIONS, ...MODERN_REVISIONS];

export const LATEST_LEGACY_REVISION: LegacyRevision = "2025-11-25";
export const LATEST_MODERN_REVISION: ModernRevision = "2026-07-28";

/** Searched as a list: a set would hash every text, and the texts of messages and headers are new each time. */
const MODERN: readonly unknown[] = MODERN_REVISIONS;
const KNOWN: readonly unknown[] = REVISIONS;

/** Tells a revision from any other text, such as one that a program is configured with. */
export function isRevision(value: unknown): value is Revision {
  return KNOWN.includes(value);
}

export function isModernRevision(value: unknown): value is ModernRevision {
  return MODERN.includes(value);
}

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return isRevision(value) && !MODERN.includes(value);
}

export function eraOf(revision: Revision): Era {
  return MODERN.includes(revision) ? "modern" : "legacy";
}

/** Revisions are dates, so they compare as strings. */
export function isAtLeast(revision: Revision, floor: Revision): boolean {
  return revision >= floor;
}
