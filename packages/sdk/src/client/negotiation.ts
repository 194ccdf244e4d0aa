/**
 * Negotiates the revision of a connection. The client probes for a modern revision first. An answer that is no recognized modern
 * one makes it fall back to the legacy handshake. The result is plain data, and the next connection can start from it.
 */
import type { Sender } from "../dispatch/dispatcher.js";
import type { ClientIdentity } from "../era/era-codec.js";
import { acceptRevision, encodeInitialize, latestLegacy } from "../era/legacy-handshake.js";
import { modernClientCodec } from "../era/modern-codec.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { ErrorCode, isModernErrorCode } from "../protocol/error-codes.js";
import type { Implementation } from "../protocol/implementation.js";
import type { DiscoverResult, InitializeResult } from "../protocol/lifecycle.js";
import { discoverResultShape, initializeResultShape } from "../protocol/lifecycle.js";
import { MetaKey } from "../protocol/meta-keys.js";
import {
  isLegacyRevision,
  isModernRevision,
  type LegacyRevision,
  type ModernRevision,
  type Revision,
} from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";

/** The server's description of itself. Empty if a modern revision was pinned, since the client sent no probe. */
export interface ServerDescription {
  /** Self-reported: for display and logs, not for decisions. */
  readonly info?: Implementation | undefined;
  readonly capabilities?: ServerCapabilities | undefined;
  readonly instructions?: string | undefined;
}

/** The negotiated revision and the description of the server. Plain data: a program can store it and resume from it. */
export interface NegotiationResult {
  readonly revision: Revision;
  readonly server: ServerDescription;
}

/** A connection whose negotiation has ended. */
export interface Negotiated {
  readonly negotiated: NegotiationResult;
}

const DEFAULT_PROBE_TIMEOUT_MS = 5_000;

export interface NegotiationOptions {
  readonly identity: ClientIdentity;
  readonly revisions: readonly Revision[];
  readonly pinned: Revision | undefined;
  readonly resumeFrom: NegotiationResult | undefined;
  readonly probeTimeoutMs: number | undefined;
  /** Start with the handshake, for a server that is known to end the connection when it is probed. @defaultValue false */
  readonly skipsProbe?: boolean | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Whether the client probes first and may fall back to the handshake. */
export function mayOpenLegacy({ pinned, resumeFrom, revisions, skipsProbe }: NegotiationOptions): boolean {
  const isOpen = pinned === undefined && resumeFrom === undefined && skipsProbe !== true;
  return isOpen && latestModern(revisions) !== undefined && latestLegacy(revisions) !== undefined;
}

/** @throws {SdkError} `no-shared-revision`, and errors of the connection. @throws {ProtocolError} the server's refusal. */
export async function negotiate(sender: Sender, options: NegotiationOptions): Promise<NegotiationResult> {
  const { pinned, revisions } = options;
  // An earlier result in a revision that the client no longer accepts is ignored.
  const resumeFrom =
    options.resumeFrom && revisions.includes(options.resumeFrom.revision) ? options.resumeFrom : undefined;
  if (isModernRevision(pinned))
    return options.resumeFrom?.revision === pinned ? options.resumeFrom : { revision: pinned, server: {} };
  if (isLegacyRevision(pinned)) return initialize(sender, options, pinned);
  if (resumeFrom && isModernRevision(resumeFrom.revision)) return resumeFrom;
  if (resumeFrom && isLegacyRevision(resumeFrom.revision)) return resume(sender, options, resumeFrom.revision);
  const modern = options.skipsProbe ? undefined : latestModern(revisions);
  return modern
    ? probe(sender, options, modern)
    : initialize(sender, options, latestLegacy(revisions) as LegacyRevision);
}

/** Repeats the handshake. If the server refuses it, the client negotiates from the start: the server may have been upgraded. */
async function resume(
  sender: Sender,
  options: NegotiationOptions,
  revision: LegacyRevision,
): Promise<NegotiationResult> {
  try {
    return await initialize(sender, options, revision);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return negotiate(sender, { ...options, resumeFrom: undefined });
  }
}

async function probe(
  sender: Sender,
  options: NegotiationOptions,
  revision: ModernRevision,
  isRetry = false,
): Promise<NegotiationResult> {
  let result: JsonObject;
  try {
    const params = modernClientCodec.encodeRequest(
      undefined,
      modernClientCodec.requestStamp(revision, options.identity),
    );
    result = await sender.request("server/discover", params, requestOptions(options, probeTimeout(options)));
  } catch (error) {
    if (error instanceof ProtocolError && isModernErrorCode(error.code)) {
      return followSupported(sender, options, error, isRetry);
    }
    if (isLegacyAnswer(error)) return fallBack(sender, options, error);
    throw error;
  }
  const fault = discoverResultShape(result);
  if (fault)
    return fallBack(sender, options, new SdkError("invalid-result", explain(fault, "server/discover: result")));
  // The shape was checked just above.
  return chooseSupported(sender, options, result as unknown as DiscoverResult);
}

/** Chooses the newest shared revision from those that a modern server has listed. */
function chooseSupported(
  sender: Sender,
  options: NegotiationOptions,
  discovered: DiscoverResult,
): Promise<NegotiationResult> | NegotiationResult {
  const shared = options.revisions.filter((revision) => discovered.supportedVersions.includes(revision));
  const revision = latestModern(shared);
  if (revision) return { revision, server: describeDiscovered(discovered) };
  return openLegacy(sender, options, shared, discovered.supportedVersions, undefined);
}

/** After a modern server has refused the probe: probes once more with a revision that it names, or starts the handshake. */
function followSupported(
  sender: Sender,
  options: NegotiationOptions,
  refusal: ProtocolError,
  isRetry: boolean,
): Promise<NegotiationResult> {
  if (refusal.code !== ErrorCode.unsupportedRevision) throw refusal;
  const supported = supportedBy(refusal);
  const shared = options.revisions.filter((revision) => supported.includes(revision));
  const revision = isRetry ? undefined : latestModern(shared);
  if (revision) return probe(sender, options, revision, true);
  return openLegacy(sender, options, shared, supported, refusal);
}

function openLegacy(
  sender: Sender,
  options: NegotiationOptions,
  shared: readonly Revision[],
  supported: readonly string[],
  cause: ProtocolError | undefined,
): Promise<NegotiationResult> {
  const revision = latestLegacy(shared);
  if (revision) return initialize(sender, options, revision);
  throw noShared(supported, options, cause);
}

function noShared(
  supported: readonly string[],
  options: NegotiationOptions,
  cause: ProtocolError | undefined,
): SdkError {
  const spoken = options.pinned ?? options.revisions.join(", ");
  return new SdkError(
    "no-shared-revision",
    `The server speaks ${supported.join(", ") || "no known revision"}; this client speaks ${spoken}`,
    { cause },
  );
}

function fallBack(sender: Sender, options: NegotiationOptions, cause: unknown): Promise<NegotiationResult> {
  const revision = latestLegacy(options.revisions);
  if (revision) return initialize(sender, options, revision);
  const what =
    cause instanceof SdkError && cause.code === "request-timeout"
      ? `The server did not answer in time whether it speaks ${options.revisions.join(", ")}: allow more probeTimeoutMs`
      : `The server does not speak ${options.revisions.join(", ")}`;
  throw new SdkError("no-shared-revision", `${what}; allow a legacy revision to reach an older one`, { cause });
}

/** A legacy server may leave the probe unanswered. A short timeout helps only a client that can fall back to the handshake. */
function probeTimeout({ probeTimeoutMs, revisions }: NegotiationOptions): number | undefined {
  return probeTimeoutMs ?? (latestLegacy(revisions) ? DEFAULT_PROBE_TIMEOUT_MS : undefined);
}

/** Probes once more after a refused handshake: a modern server that was too slow for the first probe names its revisions. */
function fallForward(sender: Sender, options: NegotiationOptions, refusal: ProtocolError): Promise<NegotiationResult> {
  const supported = supportedBy(refusal);
  const shared = options.pinned
    ? []
    : options.revisions.filter(isModernRevision).filter((one) => supported.includes(one));
  const revision = latestModern(shared);
  if (revision) return probe(sender, { ...options, revisions: shared }, revision);
  throw noShared(supported, options, refusal);
}

async function initialize(
  sender: Sender,
  options: NegotiationOptions,
  revision: LegacyRevision,
): Promise<NegotiationResult> {
  const opening: JsonObject = { ...encodeInitialize(revision, options.identity) };
  let result: JsonObject;
  try {
    result = await sender.request("initialize", opening, requestOptions(options, undefined));
  } catch (error) {
    if (!(error instanceof ProtocolError && error.code === ErrorCode.unsupportedRevision)) throw error;
    return fallForward(sender, options, error);
  }
  const fault = initializeResultShape(result);
  if (fault) throw new SdkError("invalid-result", `initialize: ${explain(fault, "result")}`);
  // The shape was checked just above.
  const { capabilities, serverInfo: info, instructions, ...rest } = result as unknown as InitializeResult;
  const spoken = options.pinned ? [...new Set([...options.revisions, options.pinned])] : options.revisions;
  const settled = acceptRevision(rest.protocolVersion, spoken);
  await sender.notify("notifications/initialized");
  return { revision: settled, server: { info, capabilities, instructions } };
}

function describeDiscovered(discovered: DiscoverResult): ServerDescription {
  const { capabilities, instructions, _meta } = discovered;
  return { info: serverInfoIn(_meta), capabilities, instructions };
}

/** The server's name and version, as modern results carry them in `_meta`. */
export function serverInfoIn(meta: JsonObject | undefined): Implementation | undefined {
  const info = meta?.[MetaKey.serverInfo];
  const isNamed = isJsonObject(info) && typeof info.name === "string" && typeof info.version === "string";
  // Only the name and the version are checked, since the other members are for display.
  return isNamed ? (info as unknown as Implementation) : undefined;
}

function supportedBy(error: ProtocolError): string[] {
  const supported = isJsonObject(error.data) ? error.data.supported : undefined;
  return Array.isArray(supported) ? supported.filter((revision) => typeof revision === "string") : [];
}

/** Whether the failure of a probe indicates a legacy server: an error that no modern server sends, or no answer. */
export function isLegacyAnswer(error: unknown): boolean {
  // A rate limit says nothing about the era of the server.
  if (error instanceof ProtocolError) return error.code !== ErrorCode.tooManyRequests;
  if (!(error instanceof SdkError)) return false;
  return LEGACY_ERRORS.has(error.code) || (error.code === "http-error" && isLegacyStatus(error.status ?? 0));
}

/** No answer; and over HTTP, an answer without a body, or with a body that is no JSON-RPC. */
const LEGACY_ERRORS: ReadonlySet<string> = new Set(["request-timeout", "stream-ended", "invalid-message"]);

/** Whether an HTTP status indicates a legacy server. Statuses about credentials and load occur in both eras. */
function isLegacyStatus(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 407, 429].includes(status);
}

function latestModern(revisions: readonly Revision[]): ModernRevision | undefined {
  return revisions.filter(isModernRevision).sort().at(-1);
}

function requestOptions(
  options: NegotiationOptions,
  timeoutMs: number | undefined,
): { signal?: AbortSignal; timeoutMs?: number } {
  return { ...(options.signal && { signal: options.signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}
