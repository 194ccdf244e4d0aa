/**
 * `npm run fuzz [-- --seed N --executions N --only target,target --minutes N --cost-seconds N]`: all targets for at least
 * a million executions, and a search for cost, or both again and again with other seeds until the time is up. Exits with 1
 * if anything was found.
 */
import { parseArgs } from "node:util";
import { type Campaign, type Finding, runCampaign } from "./campaign.js";
import { type Climb, climb } from "./cost/climb.js";
import { COST_TARGETS } from "./cost/cost-targets.js";
import { missingOutcomes, renderClimb, renderClimbs, renderFinding, renderTable } from "./report.js";
import type { Target } from "./target.js";
import { TARGETS } from "./targets.js";

const DEFAULT_EXECUTIONS = 1_200_000;
/** For all searches for cost together. */
const DEFAULT_COST_SECONDS = 150;
/** Too few to expect that everything came out. */
const SHORT_RUN = 100_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    executions: { type: "string" },
    only: { type: "string" },
    minutes: { type: "string" },
    "cost-seconds": { type: "string" },
  },
});

const wanted = values.only?.split(",");
const targets = TARGETS.filter(({ name }) => wanted?.includes(name) ?? true);
const costTargets = COST_TARGETS.filter(({ name }) => wanted?.some((part) => name.startsWith(part)) ?? true);
if (targets.length + costTargets.length === 0) {
  const names = [...TARGETS, ...COST_TARGETS].map(({ name }) => name).join(", ");
  console.error(`No target is named "${values.only}". There are: ${names}`);
  process.exit(2);
}
const total = wholeNumber("executions", values.executions) ?? DEFAULT_EXECUTIONS;
const minutes = wholeNumber("minutes", values.minutes);
const until = performance.now() + (minutes ?? 0) * 60_000;
const shares = targets.reduce((sum, { share }) => sum + share, 0);

const costSeconds = wholeNumber("cost-seconds", values["cost-seconds"]) ?? DEFAULT_COST_SECONDS;

let seed = wholeNumber("seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31);
const findings: Finding[] = [];
let complaints = 0;
let executions = 0;
const startedAt = performance.now();
do {
  console.log(`seed ${seed}`);
  const campaigns: Campaign[] = [];
  for (const target of targets) {
    const campaign = await fuzz(target);
    campaigns.push(campaign);
    for (const finding of campaign.findings) console.log(renderFinding(finding));
    findings.push(...campaign.findings);
  }
  if (campaigns.length > 0) console.log(renderTable(campaigns));
  const climbs = costTargets.map(climbFor);
  if (climbs.length > 0) console.log(renderClimbs(climbs));
  for (const slow of climbs.filter(({ isTooSlow }) => isTooSlow)) {
    console.log(renderClimb(slow, seed));
    complaints += 1;
  }
  complaints += complainOfGaps(campaigns);
  executions += campaigns.reduce((sum, campaign) => sum + campaign.executions, 0);
  seed += 1;
} while (performance.now() < until);

for (const target of targets) await target.close?.();
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
console.log(
  `\n${executions.toLocaleString("en")} executions in ${seconds} s, ${findings.length + complaints} findings`,
);
process.exitCode = findings.length + complaints > 0 ? 1 : 0;

function fuzz(target: Target): Promise<Campaign> {
  return runCampaign(target, { seed, executions: Math.ceil((total * target.share) / shares) });
}

function climbFor(target: (typeof COST_TARGETS)[number]): Climb {
  return climb(target, { seed, maxMs: (costSeconds * 1_000) / costTargets.length });
}

function complainOfGaps(campaigns: readonly Campaign[]): number {
  if (total < SHORT_RUN) return 0;
  const gaps = campaigns
    .filter(({ findings }) => findings.length === 0)
    .flatMap((campaign) =>
      missingOutcomes(campaign).map(
        (outcome) => `${campaign.target.name} never came to "${outcome}": its inputs miss it`,
      ),
    );
  for (const gap of gaps) console.log(gap);
  return gaps.length;
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name}: expected a whole number, got "${text}"`);
  return process.exit(2);
}
