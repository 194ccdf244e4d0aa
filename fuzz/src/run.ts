/**
 * `npm run fuzz [-- --seed N --executions N --only target,target --minutes N]`: all targets for at least a million
 * executions, or again and again with other seeds until the time is up. Exits with 1 if anything was found.
 */
import { parseArgs } from "node:util";
import { type Campaign, type Finding, runCampaign } from "./campaign.js";
import { missingOutcomes, renderFinding, renderTable } from "./report.js";
import type { Target } from "./target.js";
import { TARGETS } from "./targets.js";

const DEFAULT_EXECUTIONS = 1_200_000;
/** Too few to expect that everything came out. */
const SHORT_RUN = 100_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    executions: { type: "string" },
    only: { type: "string" },
    minutes: { type: "string" },
  },
});

const wanted = values.only?.split(",");
const targets = TARGETS.filter(({ name }) => wanted?.includes(name) ?? true);
if (targets.length === 0) {
  console.error(`No target is named "${values.only}". There are: ${TARGETS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const total = wholeNumber("executions", values.executions) ?? DEFAULT_EXECUTIONS;
const minutes = wholeNumber("minutes", values.minutes);
const until = performance.now() + (minutes ?? 0) * 60_000;
const shares = targets.reduce((sum, { share }) => sum + share, 0);

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
  console.log(renderTable(campaigns));
  complaints += complainOfGaps(campaigns);
  executions += campaigns.reduce((sum, campaign) => sum + campaign.executions, 0);
  seed += 1;
} while (performance.now() < until);

for (const target of targets) await target.close?.();
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
console.log(`\n${executions.toLocaleString("en")} executions in ${seconds} s, ${findings.length} findings`);
process.exitCode = findings.length + complaints > 0 ? 1 : 0;

function fuzz(target: Target): Promise<Campaign> {
  return runCampaign(target, { seed, executions: Math.ceil((total * target.share) / shares) });
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
