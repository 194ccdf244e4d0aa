/** Every format of a report by its name. */
import type { Report } from "../judge/report.js";
import { formatHtml } from "./html.js";
import { formatJunit } from "./junit.js";
import { formatPretty, type PrettyOptions } from "./pretty.js";
import { formatSarif } from "./sarif.js";

export const FORMATS: Readonly<Record<string, (report: Report, options: PrettyOptions) => string>> = {
  pretty: formatPretty,
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  junit: formatJunit,
  sarif: formatSarif,
  html: formatHtml,
};
