/** The revisions that the referee knows by the name of their wire, and those with a frozen set of requirements. */
export const revisions = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

export const requirementSets = ["2025-11-25", "2026-07-28"] as const satisfies readonly Revision[];

/** Whom the referee tests. */
export const legs = ["server", "client", "authorization"] as const;
export type Leg = (typeof legs)[number];

/** The legs that requirement sets cover. */
export const requiredLegs = ["server", "client"] as const satisfies readonly Leg[];
export type RequiredLeg = (typeof requiredLegs)[number];
