/** Wraps handlers that may ask their client. modern-run.ts and legacy-run.ts run them, one file per era. */
import { checkDuration, checkLimit } from "../../errors/option-checks.js";
import type { RequestHandler } from "../../routing/router.js";
import type { ServerContext } from "../server-context.js";
import type { McpServerOptions } from "../server-options.js";
import { runLegacy } from "./legacy-run.js";
import { type InputSettings, runModern } from "./modern-run.js";
import { StateSeal } from "./state-seal.js";

const DEFAULT_MAX_INPUT_REQUESTS = 64;
/** As long as the state of a modern call is valid (`requestState.ttlMs`). */
const DEFAULT_QUESTION_TIMEOUT_MS = 600_000;

/** @throws {SdkError} `invalid-argument` for an option that is out of range. */
export function inputSettings({
  requestState,
  maxInputRequests = DEFAULT_MAX_INPUT_REQUESTS,
  questionTimeoutMs = DEFAULT_QUESTION_TIMEOUT_MS,
}: Pick<McpServerOptions, "requestState" | "maxInputRequests" | "questionTimeoutMs">): InputSettings {
  checkLimit("maxInputRequests", maxInputRequests);
  checkDuration("questionTimeoutMs", questionTimeoutMs);
  return { seal: new StateSeal(requestState), maxRequests: maxInputRequests, timeoutMs: questionTimeoutMs };
}

export function withInput(
  handler: RequestHandler<ServerContext>,
  settings: InputSettings,
): RequestHandler<ServerContext> {
  return (params, context) =>
    context.era === "modern"
      ? runModern(handler, settings, params, context)
      : runLegacy(handler, settings, params, context);
}
