/** What the headers of a legacy request say. */
import { HttpHeader } from "../../../protocol/http-headers.js";
import { isLegacyRevision, type LegacyRevision, type Revision } from "../../../protocol/revisions.js";
import type { HttpRequest } from "../http-host.js";
import { accepts, EVENT_STREAM_TYPE } from "../media-types.js";
import { notAcceptable, unsupportedVersion } from "./refusals.js";

/** The revision a request names, if it names one. @throws {HttpRefusal} 400 for one that is not spoken here. */
export function namedRevision(request: HttpRequest, spoken: readonly Revision[]): LegacyRevision | undefined {
  const given = request.header(HttpHeader.revision);
  if (given === undefined) return undefined;
  if (isLegacyRevision(given) && spoken.includes(given)) return given;
  throw unsupportedVersion(given, spoken);
}

/** @throws {HttpRefusal} 406 unless the client takes an event stream. */
export function requireEventStream(request: HttpRequest): void {
  if (!accepts(request.header("accept"), EVENT_STREAM_TYPE)) throw notAcceptable();
}
