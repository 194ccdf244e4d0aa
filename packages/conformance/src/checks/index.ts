/** Every check of servers, by area, in the order of the report. */
import type { Check, CheckArea } from "../judge/check.js";
import { authorization } from "./authorization.js";
import { caching } from "./caching.js";
import { capabilities } from "./capabilities.js";
import { discovery } from "./discovery.js";
import { headers } from "./headers.js";
import { httpSse } from "./http-sse.js";
import { inputRounds } from "./input-rounds.js";
import { jsonRpc } from "./json-rpc.js";
import { lifecycle } from "./lifecycle.js";
import { lists } from "./lists.js";
import { logging } from "./logging.js";
import { metadata } from "./metadata.js";
import { prompts } from "./prompts.js";
import { questions } from "./questions.js";
import { resources } from "./resources.js";
import { sessions } from "./sessions.js";
import { skills } from "./skills.js";
import { stdio } from "./stdio.js";
import { subscriptions } from "./subscriptions.js";
import { tasks } from "./tasks.js";
import { tools } from "./tools.js";
import { transportHttp } from "./transport-http.js";

export const CHECK_AREAS: readonly CheckArea[] = [
  discovery,
  lifecycle,
  metadata,
  headers,
  transportHttp,
  sessions,
  httpSse,
  stdio,
  authorization,
  jsonRpc,
  capabilities,
  lists,
  // Before other areas call tools: a tool that waits for an answer of the client is not called again.
  questions,
  tools,
  resources,
  prompts,
  inputRounds,
  tasks,
  skills,
  caching,
  logging,
  subscriptions,
];

export function allChecks(): Check[] {
  return CHECK_AREAS.flatMap(({ checks }) => checks);
}
