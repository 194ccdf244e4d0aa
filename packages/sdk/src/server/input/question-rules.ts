/**
 * Rules for questions that shapes do not express, shared by `context.elicit`, `context.sample` and `inputRequired(…)`. Each
 * function converts the params to the revision, and warns about deprecated features.
 */
import { SdkError } from "../../errors/sdk-error.js";
import { pageUrlComplaint, samplingRequestComplaint } from "../../protocol/answer-rules.js";
import { warnDeprecated } from "../../protocol/deprecations.js";
import type { ElicitFormParams, ElicitUrlParams } from "../../protocol/elicitation.js";
import type { InputRequest } from "../../protocol/input-required.js";
import { eraOf, type Revision } from "../../protocol/revisions.js";
import type { CreateMessageParams } from "../../protocol/sampling.js";
import { compileForm, downgradeForm } from "../../schema/form-schema.js";

/** Loopback hosts. Pages there may be `http`, since programs in development have no certificate. */
const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Converts a question to a revision. @throws {SdkError} `invalid-argument` for a question against the rules. */
export function adaptToRevision(request: InputRequest, revision: Revision, schemes: readonly string[]): InputRequest {
  switch (request.method) {
    case "elicitation/create": {
      const { params } = request;
      return { ...request, params: params.mode === "url" ? page(params, revision, schemes) : form(params, revision) };
    }
    case "sampling/createMessage":
      return { ...request, params: adaptSampling(request.params, revision) };
    case "roots/list":
      warnDeprecated("ROOTS");
      return request;
  }
}

/** @throws {SdkError} `invalid-argument` for a malformed URL, or a scheme that is not among `schemes`. */
export function page(params: ElicitUrlParams, revision: Revision, schemes: readonly string[]): ElicitUrlParams {
  const complaint = pageUrlComplaint(params.url, isLoopback(params.url) ? [...schemes, "http"] : schemes);
  if (complaint !== undefined) {
    throw new SdkError("invalid-argument", `expected a URL to open, got "${params.url}": ${complaint}`);
  }
  const { elicitationId, ...asked } = params;
  return eraOf(revision) === "modern" ? asked : { ...asked, elicitationId: elicitationId ?? crypto.randomUUID() };
}

/** @throws {SdkError} `invalid-argument` for parts that the revision does not have, or tool uses without results. */
export function adaptSampling(params: CreateMessageParams, revision: Revision): CreateMessageParams {
  warnDeprecated("SAMPLING");
  if ((params.includeContext ?? "none") !== "none") warnDeprecated("INCLUDE_CONTEXT");
  const complaint = samplingRequestComplaint(params, revision);
  if (complaint !== undefined) throw new SdkError("invalid-argument", complaint);
  return params;
}

/** @throws {SdkError} for a schema that a form cannot express. */
function form(params: ElicitFormParams, revision: Revision): ElicitFormParams {
  const { requestedSchema } = compileForm({ ...params.requestedSchema });
  return { ...params, requestedSchema: downgradeForm(requestedSchema, revision) };
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
}
