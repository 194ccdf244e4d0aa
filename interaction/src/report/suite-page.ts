/** The report of the suite as one page: areas by connection and revision, and an entry for each requirement. */
import { type PageCell, type PageColumn, type PageEntry, type PageFact, renderPage } from "@parley-mcp/conformance";
import { CONNECTIONS, REVISIONS_OVER } from "parley-requirements";
import { type Cell, cellName } from "../cells.js";
import { EXCLUSION_TEXTS } from "./exclusion-texts.js";
import type { CellReport, RequirementReport, SuiteReport, TestReport } from "./suite-report.js";
import { areaTallies, summaryLine } from "./suite-summary.js";

const CELLS: readonly (Cell & PageColumn)[] = CONNECTIONS.flatMap((connection) =>
  REVISIONS_OVER[connection].map((revision) => ({ connection, revision, group: connection, label: revision })),
);

/** Tests without a connection between two sides of ours have a column, but no revision. */
const COLUMNS: readonly (PageColumn & { readonly cell: string })[] = [
  ...CELLS.map(({ group, label, ...cell }) => ({ label, cell: cellName(cell), ...(group && { group }) })),
  { group: "own", label: "connection", cell: "no connection" },
];

export function renderSuitePage(report: SuiteReport): string {
  const entries = report.requirements.map(entryOf);
  const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
  return renderPage({
    tool: "Parley",
    heading: "The interaction suite",
    summary: summaryLine(report),
    kinds: [
      { name: "failed", tone: "red", count: count("failed"), isShown: true },
      { name: "diverging", tone: "amber", count: count("diverging"), isShown: true },
      { name: "not run", tone: "dim", count: count("not run"), isShown: true },
      { name: "passed", tone: "green", count: count("passed"), isShown: true },
    ],
    grid: {
      corner: "tests passed / failed",
      columns: COLUMNS,
      rows: areaTallies(report).map(({ area, cells }) => ({
        label: area,
        cells: COLUMNS.map(({ cell }): PageCell | undefined => {
          const tally = cells.get(cell);
          if (!tally) return undefined;
          const failed = tally.failed > 0 ? ` / ${tally.failed}` : "";
          return {
            tone: tally.failed > 0 ? "red" : "green",
            text: `${tally.passed}${failed}`,
            query: `${areaWord(area)} ${cellWord(cell)}`,
          };
        }),
      })),
    },
    entries,
  });
}

function entryOf(requirement: RequirementReport): PageEntry {
  const { id, area, behavior, strength, source, divergence, tests, excluded } = requirement;
  const cells = [...new Set(tests.flatMap((test) => test.cells.map(({ cell }) => cell)))];
  const facts: PageFact[] = [
    { name: "strength", text: strength },
    { name: "source", text: source, href: source.startsWith("https:") ? source : `../../${source}` },
    ...(divergence === undefined ? [] : [{ name: "diverges", text: divergence }]),
    ...excluded.map(({ because, cells: left }) => ({
      name: "not run",
      text: `${EXCLUSION_TEXTS[because]}: ${left.join(", ")}`,
    })),
  ];
  const words = [areaWord(area), ...cells.map(cellWord), id, behavior, strength, source];
  return {
    id,
    kind: kindOf(requirement),
    name: id,
    tag: area,
    title: behavior,
    search: [...words, ...tests.flatMap(({ sentence, file }) => [sentence, file])].join(" "),
    facts,
    blocks: tests.map((test) => ({ heading: test.sentence, text: testText(test) })),
  };
}

function kindOf({ tests, divergence }: RequirementReport): string {
  const states = tests.flatMap(({ cells }) => cells.map(({ state }) => state));
  if (states.includes("failed")) return "failed";
  if (!states.includes("passed")) return "not run";
  return divergence === undefined ? "passed" : "diverging";
}

function testText({ file, cells }: TestReport): string {
  const lines = (["failed", "skipped", "passed"] as const).flatMap((state) => {
    const named = cells.filter((cell) => cell.state === state).map(({ cell }) => cell);
    return named.length === 0 ? [] : [`${state} over ${named.join(", ")}`];
  });
  return [file, ...lines, ...cells.flatMap(errorLines)].join("\n");
}

function errorLines({ cell, errors = [] }: CellReport): string[] {
  return errors.map((error) => `\n[${cell}] ${error}`);
}

/** Brackets, so that a search for an area finds no other area or text. */
function areaWord(area: string): string {
  return `[${area.replaceAll(" ", "-")}]`;
}

function cellWord(cell: string): string {
  return `[${cell.replaceAll(" ", "@")}]`;
}
