/**
 * The command `npm run chaos`. `--seconds 600` of faults in the place of 120, `--clients ours-modern,official-v1` in the place of all,
 * `--faults "is frozen"` strikes only with the faults whose names contain this, and with kills between them,
 * `--store-fault forget-events` plants a fault into the stores, `--keep` keeps the history.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_KINDS, runChaos } from "./chaos-run.js";
import { FAULTS } from "./faults.js";
import { STORE_FAULTS } from "./faulty-stores.js";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    "calm-seconds": { type: "string", default: "30" },
    "expiry-seconds": { type: "string", default: "120" },
    "hear-seconds": { type: "string", default: "20" },
    clients: { type: "string" },
    faults: { type: "string" },
    "store-fault": { type: "string" },
    keep: { type: "boolean", default: false },
  },
});
const storeFault = STORE_FAULTS.find((fault) => fault === values["store-fault"]);
if (storeFault === undefined && values["store-fault"] !== undefined) {
  throw new Error(`--store-fault: expected one of ${STORE_FAULTS.join(", ")}`);
}

const kinds = values.clients?.split(",").map((name) => {
  const kind = ALL_KINDS.find((known) => known === name);
  if (kind === undefined) throw new Error(`--clients: expected some of ${ALL_KINDS.join(", ")}`);
  return kind;
});
const faults = FAULTS.filter(({ name }) => name.includes(values.faults ?? ""));
if (faults.length === 0) throw new Error(`--faults: expected a part of ${FAULTS.map(({ name }) => name).join(", ")}`);
const SHOWN = 40;

// Debian's packages are redis-server and haproxy.
const { REDIS_SERVER_PATH: redisPath = "redis-server", HAPROXY_PATH: haproxyPath = "haproxy" } = process.env;
const folder = mkdtempSync(join(tmpdir(), "parley-chaos-"));
const { findings, strikes, counts } = await runChaos({
  folder,
  redisPath,
  haproxyPath,
  storeFault,
  faultsMs: Number(values.seconds) * 1_000,
  calmMs: Number(values["calm-seconds"]) * 1_000,
  kinds,
  faults,
  hearMs: Number(values["hear-seconds"]) * 1_000,
  expiryMs: Number(values["expiry-seconds"]) * 1_000,
  onStep: (text) => console.log(text),
});
if (values.keep) console.log(`The history is in ${folder}`);
else rmSync(folder, { recursive: true, force: true });

console.log(`${strikes} faults, ${JSON.stringify(counts)}`);
for (const promise of new Set(findings.map((finding) => finding.promise))) {
  console.log(`${promise}: broken ${findings.filter((finding) => finding.promise === promise).length} times`);
}
for (const { promise, what } of findings.slice(0, SHOWN)) console.log(`- ${promise}: ${what}`);
console.log(findings.length === 0 ? "All promises were kept." : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
