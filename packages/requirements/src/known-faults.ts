/** What may arrive at either side and go wrong, the page that tells users of it, and what is wrong with the lists. */
import { faultsAtClients } from "./known-faults/at-clients.js";
import { faultsAtServers } from "./known-faults/at-servers.js";
import type { KnownFault } from "./known-faults/known-fault.js";
import { LACKS, REVISIONS, REVISIONS_OVER, type Requirement, type Requirements } from "./requirement.js";

export interface KnownFaults {
  readonly atServers: readonly KnownFault[];
  readonly atClients: readonly KnownFault[];
}

export const knownFaults: KnownFaults = { atServers: faultsAtServers, atClients: faultsAtClients };

/** As sentences. */
export function knownFaultComplaints({ atServers, atClients }: KnownFaults, manifest: Requirements): string[] {
  const faults = [...atServers, ...atClients];
  const names = faults.map(({ fault }) => fault);
  const complaints = names
    .filter((name, index) => names.indexOf(name) !== index)
    .map((name) => `${name}: listed twice`);
  for (const { fault, entries } of faults) {
    if (entries.length === 0) complaints.push(`${fault}: nobody promises anything`);
    for (const id of entries) {
      const requirement = Object.hasOwn(manifest, id) ? manifest[id] : undefined;
      if (!requirement) complaints.push(`${fault}: "${id}" is not in the manifest`);
      else if (!isProvenForReal(requirement)) complaints.push(`${fault}: "${id}" is tested in process alone`);
    }
  }
  return complaints;
}

/** Whether its tests meet a socket or a process: those of their own, or Streamable HTTP on Node. */
export function isProvenForReal({ over, since, until, needs = [] }: Requirement): boolean {
  if (over) return over.because === "http-only" || over.because === "stdio-only";
  const inRange = (revision: string) => revision >= (since ?? REVISIONS[0]) && (until ?? revision) >= revision;
  return REVISIONS_OVER.http.some(inRange) && !needs.some((need) => LACKS.http.includes(need));
}

/** The page of the documentation. */
export function faultsPage({ atServers, atClients }: KnownFaults): string {
  return [
    "# Faults",
    "",
    "What may arrive at a server or a client over a real connection, and what happens then. Each row names the entries of the",
    "[manifest](../packages/requirements/src) that promise it; their tests provoke the fault over a socket or in a process of its",
    "own, and `npx vitest run --project interaction -t <entry>` runs them. A `fetch` in the test stands for remote servers of a login,",
    "which tests cannot reach. The limits are options: see [Security](security.md) for servers and [Connecting](connecting.md) for",
    "clients.",
    "",
    "## At a server",
    "",
    ...table(atServers),
    "",
    "## At a client",
    "",
    ...table(atClients),
    "",
  ].join("\n");
}

function table(faults: readonly KnownFault[]): string[] {
  const rows = faults.map(({ fault, outcome, entries }) => {
    const proof = entries.map((id) => `\`${id}\``).join(", ");
    return `| ${fault} | ${outcome} | ${proof} |`;
  });
  return ["| what arrives | what happens | promised by |", "|---|---|---|", ...rows];
}
