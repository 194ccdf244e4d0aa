/**
 * How a client and a server find the revision they share: modern first, the legacy handshake on anything that is not a
 * recognized modern answer. The outcome is a negotiated that can be kept and handed to the next connection.
 */
import type { Sender } from "../dispatch/dispatcher.js";
import type { ClientIdentity } from "../era/era-codec.js";
import { acceptRevision, encodeInitialize, latestLegacy } from "../era/legacy-handshake.js";
import { modernCodec } from "../era/modern-codec.js";
import { ProtocolError } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { ServerCapabilities } from "../protocol/capabilities.js";
import { ErrorCode, isModernErrorCode } from "../protocol/error-codes.js";
import type { Implementation } from "../protocol/implementation.js";
import { isJsonObject, type JsonObject } from "../protocol/json.js";
import type { DiscoverResult, InitializeResult } from "../protocol/lifecycle.js";
import { MetaKey } from "../protocol/meta-keys.js";
import {
  isLegacyRevision,
  isModernRevision,
  type LegacyRevision,
  type ModernRevision,
  type Revision,
} from "../protocol/revisions.js";
import { explain } from "../protocol/shape.js";
import { discoverResultShape, initializeResultShape } from "../protocol/shapes/lifecycle.js";

/** What a server said about itself. All of it is unknown when a modern revision was pinned and nothing asked for. */
export interface ServerDescription {
  /** Self-reported: for display and logs, not for decisions. */
  readonly info?: Implementation | undefined;
  readonly capabilities?: ServerCapabilities | undefined;
  readonly instructions?: string | undefined;
}

/** The revision two sides settled on, and what the server said. Plain data: it can be stored and used again. */
export interface NegotiationResult {
  readonly revision: Revision;
  readonly server: ServerDescription;
}

const DEFAULT_PROBE_TIMEOUT_MS = 5_000;

export interface NegotiationOptions {
  readonly identity: ClientIdentity;
  readonly revisions: readonly Revision[];
  readonly pinned: Revision | undefined;
  readonly resumeFrom: NegotiationResult | undefined;
  readonly probeTimeoutMs: number | undefined;
  /** Opens with the handshake: the server is known to end the connection when it is probed. */
  readonly skipsProbe?: boolean | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Whether the handshake could open a conversation that begins with the probe. */
export function mayOpenLegacy({ pinned, resumeFrom, revisions, skipsProbe }: NegotiationOptions): boolean {
  const isOpen = pinned === undefined && resumeFrom === undefined && skipsProbe !== true;
  return isOpen && latestModern(revisions) !== undefined && latestLegacy(revisions) !== undefined;
}

/** @throws {SdkError} `no-shared-revision`; whatever a broken connection rejects with. @throws {ProtocolError} the server's refusal. */
export async function negotiate(sender: Sender, plan: NegotiationOptions): Promise<NegotiationResult> {
  const { pinned, revisions } = plan;
  // A negotiated on a revision that is no longer allowed says nothing about those that are.
  const resumeFrom = plan.resumeFrom && revisions.includes(plan.resumeFrom.revision) ? plan.resumeFrom : undefined;
  if (isModernRevision(pinned))
    return plan.resumeFrom?.revision === pinned ? plan.resumeFrom : { revision: pinned, server: {} };
  if (isLegacyRevision(pinned)) return shakeHands(sender, plan, pinned);
  if (resumeFrom && isModernRevision(resumeFrom.revision)) return resumeFrom;
  if (resumeFrom && isLegacyRevision(resumeFrom.revision)) return resume(sender, plan, resumeFrom.revision);
  const modern = plan.skipsProbe ? undefined : latestModern(revisions);
  return modern ? probe(sender, plan, modern) : shakeHands(sender, plan, latestLegacy(revisions) as LegacyRevision);
}

/** A server known as legacy may have been upgraded since: if it refuses the handshake, it is asked afresh. */
async function resume(sender: Sender, plan: NegotiationOptions, revision: LegacyRevision): Promise<NegotiationResult> {
  try {
    return await shakeHands(sender, plan, revision);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return negotiate(sender, { ...plan, resumeFrom: undefined });
  }
}

async function probe(
  sender: Sender,
  plan: NegotiationOptions,
  revision: ModernRevision,
  isRetry = false,
): Promise<NegotiationResult> {
  let result: JsonObject;
  try {
    const params = modernCodec.encodeRequest(undefined, modernCodec.requestStamp(revision, plan.identity));
    result = await sender.request("server/discover", params, requestOptions(plan, probeTimeout(plan)));
  } catch (error) {
    if (error instanceof ProtocolError && isModernErrorCode(error.code)) {
      return followSupported(sender, plan, error, isRetry);
    }
    if (isSilentOrForeign(error)) return fallBack(sender, plan, error);
    throw error;
  }
  const fault = discoverResultShape(result);
  if (fault) return fallBack(sender, plan, new SdkError("invalid-result", explain(fault, "server/discover: result")));
  // The shape was checked just above.
  return chooseSupported(sender, plan, result as unknown as DiscoverResult);
}

/** The server is modern and listed what it speaks: take the newest revision both have. */
function chooseSupported(
  sender: Sender,
  plan: NegotiationOptions,
  discovered: DiscoverResult,
): Promise<NegotiationResult> | NegotiationResult {
  const shared = plan.revisions.filter((revision) => discovered.supportedVersions.includes(revision));
  const revision = latestModern(shared);
  if (revision) return { revision, server: describeDiscovered(discovered) };
  return openLegacy(sender, plan, shared, discovered.supportedVersions, undefined);
}

/** The server is modern and refused the probe: once more with a revision that it names, or the handshake for such a one. */
function followSupported(
  sender: Sender,
  plan: NegotiationOptions,
  refusal: ProtocolError,
  isRetry: boolean,
): Promise<NegotiationResult> {
  if (refusal.code !== ErrorCode.unsupportedRevision) throw refusal;
  const supported = supportedBy(refusal);
  const shared = plan.revisions.filter((revision) => supported.includes(revision));
  const revision = isRetry ? undefined : latestModern(shared);
  if (revision) return probe(sender, plan, revision, true);
  return openLegacy(sender, plan, shared, supported, refusal);
}

function openLegacy(
  sender: Sender,
  plan: NegotiationOptions,
  shared: readonly Revision[],
  supported: readonly string[],
  cause: ProtocolError | undefined,
): Promise<NegotiationResult> {
  const revision = latestLegacy(shared);
  if (revision) return shakeHands(sender, plan, revision);
  throw noShared(supported, plan, cause);
}

function noShared(supported: readonly string[], plan: NegotiationOptions, cause: ProtocolError | undefined): SdkError {
  const spoken = plan.pinned ?? plan.revisions.join(", ");
  return new SdkError(
    "no-shared-revision",
    `The server speaks ${supported.join(", ") || "no known revision"}; this client speaks ${spoken}`,
    { cause },
  );
}

function fallBack(sender: Sender, plan: NegotiationOptions, cause: unknown): Promise<NegotiationResult> {
  const revision = latestLegacy(plan.revisions);
  if (revision) return shakeHands(sender, plan, revision);
  const what =
    cause instanceof SdkError && cause.code === "request-timeout"
      ? `The server did not answer in time whether it speaks ${plan.revisions.join(", ")}: allow more probeTimeoutMs`
      : `The server does not speak ${plan.revisions.join(", ")}`;
  throw new SdkError("no-shared-revision", `${what}; allow a legacy revision to reach an older one`, { cause });
}

/** Silence is a legacy server's answer, but only where there is something to fall back to need it be told soon. */
function probeTimeout({ probeTimeoutMs, revisions }: NegotiationOptions): number | undefined {
  return probeTimeoutMs ?? (latestLegacy(revisions) ? DEFAULT_PROBE_TIMEOUT_MS : undefined);
}

/** A modern server that was too slow for the probe refuses the handshake and says what it speaks: asked again, once. */
function fallForward(sender: Sender, plan: NegotiationOptions, refusal: ProtocolError): Promise<NegotiationResult> {
  const supported = supportedBy(refusal);
  const shared = plan.pinned ? [] : plan.revisions.filter(isModernRevision).filter((one) => supported.includes(one));
  const revision = latestModern(shared);
  if (revision) return probe(sender, { ...plan, revisions: shared }, revision);
  throw noShared(supported, plan, refusal);
}

async function shakeHands(
  sender: Sender,
  plan: NegotiationOptions,
  revision: LegacyRevision,
): Promise<NegotiationResult> {
  const opening: JsonObject = { ...encodeInitialize(revision, plan.identity) };
  let result: JsonObject;
  try {
    result = await sender.request("initialize", opening, requestOptions(plan, undefined));
  } catch (error) {
    if (!(error instanceof ProtocolError && error.code === ErrorCode.unsupportedRevision)) throw error;
    return fallForward(sender, plan, error);
  }
  const fault = initializeResultShape(result);
  if (fault) throw new SdkError("invalid-result", `initialize: ${explain(fault, "result")}`);
  // The shape was checked just above.
  const { capabilities, serverInfo: info, instructions, ...rest } = result as unknown as InitializeResult;
  const spoken = plan.pinned ? [...new Set([...plan.revisions, plan.pinned])] : plan.revisions;
  const settled = acceptRevision(rest.protocolVersion, spoken);
  await sender.notify("notifications/initialized");
  return { revision: settled, server: { info, capabilities, instructions } };
}

function describeDiscovered(discovered: DiscoverResult): ServerDescription {
  const { capabilities, instructions, _meta } = discovered;
  return { info: serverInfoIn(_meta), capabilities, instructions };
}

/** The server's name and version as the modern era stamps them on results. */
export function serverInfoIn(meta: JsonObject | undefined): Implementation | undefined {
  const info = meta?.[MetaKey.serverInfo];
  const isNamed = isJsonObject(info) && typeof info.name === "string" && typeof info.version === "string";
  // Name and version are what an implementation must have; the rest is for display.
  return isNamed ? (info as unknown as Implementation) : undefined;
}

function supportedBy(error: ProtocolError): string[] {
  const supported = isJsonObject(error.data) ? error.data.supported : undefined;
  return Array.isArray(supported) ? supported.filter((revision) => typeof revision === "string") : [];
}

/** An error that no modern server sends, or no answer at all: what a legacy server does with a method it does not know. */
export function isSilentOrForeign(error: unknown): boolean {
  // A limit was reached, which says nothing about the server's era.
  if (error instanceof ProtocolError) return error.code !== ErrorCode.tooManyRequests;
  if (!(error instanceof SdkError)) return false;
  return FOREIGN_ANSWERS.has(error.code) || (error.code === "http-error" && isForeignStatus(error.status ?? 0));
}

/** Over HTTP also an answer without a body, or with one that is nothing of MCP. */
const FOREIGN_ANSWERS: ReadonlySet<string> = new Set(["request-timeout", "stream-ended", "invalid-message"]);

/** What a legacy server says to a POST that it makes nothing of. Credentials and load concern both eras alike. */
function isForeignStatus(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 407, 429].includes(status);
}

function latestModern(revisions: readonly Revision[]): ModernRevision | undefined {
  return revisions.filter(isModernRevision).sort().at(-1);
}

function requestOptions(
  plan: NegotiationOptions,
  timeoutMs: number | undefined,
): { signal?: AbortSignal; timeoutMs?: number } {
  return { ...(plan.signal && { signal: plan.signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}
