/** The report as SARIF 2.1.0, for code scanning. */
import type { Finding, Report, Severity } from "../judge/report.js";

const LEVELS: Readonly<Record<Severity, string>> = { failure: "error", warning: "warning", note: "note" };

export function formatSarif(report: Report): string {
  const failed = report.findings.filter(({ outcome }) => outcome === "failed");
  const rules = [...new Map(failed.map((finding) => [finding.check, rule(finding)])).values()];
  const driver = { name: "parley-check", informationUri: "https://parley-mcp.example", rules };
  const run = { tool: { driver }, results: failed.map((finding) => result(finding, report.target)) };
  return `${JSON.stringify({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

function rule({ check, title, mend, source, severity }: Finding) {
  return {
    id: check,
    shortDescription: { text: title },
    help: { text: `${mend ?? ""} See ${source}` },
    ...(source.startsWith("https:") ? { helpUri: source } : {}),
    defaultConfiguration: { level: LEVELS[severity] },
  };
}

function result({ check, title, expected, got, revision, severity, known }: Finding, target: string) {
  const uri = URL.canParse(target) ? target : "server";
  return {
    ruleId: check,
    level: LEVELS[severity],
    message: { text: `${title} Expected ${expected}, got ${got} (${revision}).` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri } },
        logicalLocations: [{ fullyQualifiedName: `${target} ${revision}` }],
      },
    ],
    partialFingerprints: { check: `${check}/${revision}` },
    // An empty list says that the result is not suppressed.
    suppressions: known === undefined ? [] : [{ kind: "external", justification: known }],
  };
}
