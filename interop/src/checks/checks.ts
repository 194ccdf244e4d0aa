/** The check of each feature. */
import type { Feature } from "../features.js";
import { elicitation, inputRounds, roots, sampling, urlElicitation } from "./asking.js";
import { listChanges, listen, resourceUpdates } from "./changes.js";
import { closing, sessionDeletion, sessionForgotten } from "./endings.js";
import { completion, prompts, resources, templates, unknownResource } from "./resources-and-prompts.js";
import { cancellation, logging, ping, progress, progressInOneBurst, resumption } from "./streams.js";
import {
  connects,
  invalidArguments,
  pagination,
  parallelCalls,
  structuredOutput,
  toolError,
  tools,
  unknownTool,
} from "./tools.js";
import type { Check } from "./trial.js";

export const checks: Record<Feature, Check> = {
  connect: connects,
  tools,
  "structured output": structuredOutput,
  "tool error": toolError,
  "invalid arguments": invalidArguments,
  "unknown tool": unknownTool,
  "parallel calls": parallelCalls,
  pagination,
  resources,
  "unknown resource": unknownResource,
  templates,
  prompts,
  completion,
  ping,
  progress,
  "progress in one burst": progressInOneBurst,
  cancellation,
  logging,
  elicitation,
  "URL elicitation": urlElicitation,
  sampling,
  roots,
  "input rounds": inputRounds,
  listen,
  "resource updates": resourceUpdates,
  "list changes": listChanges,
  resumption,
  "session forgotten": sessionForgotten,
  "session deletion": sessionDeletion,
  closing,
};
