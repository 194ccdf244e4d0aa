/** Shows what our side said in a test to every judge there is. */
import type { Revision } from "parley-requirements";
import type { ConnectionLog } from "../wire-log.js";
import { publishedSchemas } from "./published-schemas.js";
import { loadSpecSchemas } from "./spec-schemas.js";
import { type Judge, statementsOf } from "./statement.js";
import { isOfTasksExtension, tasksExtension } from "./tasks-extension.js";

let loaded: readonly Judge[] | undefined;

/** Loaded once per worker. */
export function availableJudges(): readonly Judge[] {
  loaded ??= [loadSpecSchemas(), publishedSchemas].filter((judge) => judge !== undefined);
  return loaded;
}

/** What the judges hold against one connection's messages: none if all is well. */
export function wireComplaints(
  log: Pick<ConnectionLog, "entries" | "judged"> & Partial<Pick<ConnectionLog, "revision">>,
  revision: Revision,
  judges: readonly Judge[] = availableJudges(),
): string[] {
  const complaints: string[] = [];
  for (const statement of statementsOf(log.entries, log.revision ?? revision)) {
    if (!log.judged.includes(statement.from)) continue;
    for (const judge of isOfTasksExtension(statement) ? [tasksExtension] : judges) {
      const complaint = judge.complaint(statement);
      if (complaint === undefined) continue;
      complaints.push(
        `${judge.name} on a ${statement.kind} of the ${statement.from}: ${complaint}\n  ${show(statement.message)}`,
      );
    }
  }
  return complaints;
}

function show(message: unknown): string {
  const text = JSON.stringify(message);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
