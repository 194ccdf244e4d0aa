/** What `@parley-mcp/conformance` publishes: the command as a function, the checks of a client in this process, the data of its report, and the page it is shown on. */
export { runCommand, type Surroundings } from "./cli/command.js";
export { type ClientRunOptions, type ClientTrial, runClientChecks } from "./client/client-runner.js";
export {
  type Page,
  type PageCell,
  type PageColumn,
  type PageEntry,
  type PageFact,
  type PageGrid,
  type PageKind,
  renderPage,
  type Tone,
} from "./formats/page.js";
export type { Evidence, Finding, Outcome, Report, Severity, Tally } from "./judge/report.js";
export { tallyOf } from "./judge/report.js";
