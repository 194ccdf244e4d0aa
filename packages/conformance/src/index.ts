/** What `@parley-mcp/conformance` publishes: the command as a function, and the data of its report. */
export { runCommand, type Surroundings } from "./cli/command.js";
export type { Evidence, Finding, Outcome, Report, Severity, Tally } from "./judge/report.js";
export { tallyOf } from "./judge/report.js";
