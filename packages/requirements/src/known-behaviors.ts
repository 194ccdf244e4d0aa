/** Every known behavior of other implementations, area by area, and what is wrong with the lists, if anything is. */
import { askingBehaviors } from "./known-behaviors/asking.js";
import { connectingBehaviors } from "./known-behaviors/connecting.js";
import { hostingBehaviors } from "./known-behaviors/hosting.js";
import type { KnownBehaviors } from "./known-behaviors/known-behavior.js";
import { lifecycleBehaviors } from "./known-behaviors/lifecycle.js";
import { offersBehaviors } from "./known-behaviors/offers.js";
import { protocolBehaviors } from "./known-behaviors/protocol.js";
import { subscriptionsBehaviors } from "./known-behaviors/subscriptions.js";
import { toolsBehaviors } from "./known-behaviors/tools.js";

export const knownBehaviors: readonly KnownBehaviors[] = [
  lifecycleBehaviors,
  protocolBehaviors,
  toolsBehaviors,
  offersBehaviors,
  askingBehaviors,
  subscriptionsBehaviors,
  hostingBehaviors,
  connectingBehaviors,
];

/** The ids of all known behaviors, each as often as it is listed. */
export function listedIds(areas: readonly KnownBehaviors[]): string[] {
  return areas.flatMap(({ same, elsewhere, otherwise, notApplicable }) => [
    ...same,
    ...Object.keys(elsewhere),
    ...Object.keys(otherwise),
    ...Object.keys(notApplicable),
  ]);
}

/** As sentences. `promised` holds the ids of the manifest. */
export function knownBehaviorFaults(areas: readonly KnownBehaviors[], promised: ReadonlySet<string>): string[] {
  const ids = listedIds(areas);
  const faults = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id}: listed twice`);
  for (const area of areas) faults.push(...areaFaults(area, promised));
  return faults;
}

function* areaFaults(area: KnownBehaviors, promised: ReadonlySet<string>): Iterable<string> {
  const { same, elsewhere, otherwise, notApplicable } = area;
  const counterparts: [string, readonly string[]][] = [
    ...same.map((id): [string, string[]] => [id, [id]]),
    ...Object.entries(elsewhere),
    ...Object.entries(otherwise).map(([id, { instead }]): [string, readonly string[]] => [id, instead]),
  ];
  for (const [id, entries] of counterparts) {
    if (entries.length === 0) yield `${id}: names no entry of the manifest`;
    for (const entry of entries) if (!promised.has(entry)) yield `${id}: "${entry}" is not in the manifest`;
  }
  for (const [id, { because }] of [...Object.entries(otherwise), ...Object.entries(notApplicable)]) {
    if (!/^[A-Z].*\.$/.test(because)) yield `${id}: the reason is a sentence with a full stop`;
  }
  for (const id of Object.keys(notApplicable)) {
    if (promised.has(id)) yield `${id}: is in the manifest, so it belongs under "same"`;
  }
}
