/** The `initialize` handshake as pure functions: what each side answers to the other's revision. */
import { SdkError } from "../errors/sdk-error.js";
import type { InitializeParams } from "../protocol/lifecycle.js";
import { isLegacyRevision, type LegacyRevision, type Revision } from "../protocol/revisions.js";
import type { ClientIdentity, Envelope } from "./era-codec.js";

/** The newest legacy revision in a list, if it has any. */
export function latestLegacy(revisions: readonly Revision[]): LegacyRevision | undefined {
  return revisions.filter(isLegacyRevision).sort().at(-1);
}

export function encodeInitialize(revision: LegacyRevision, client: ClientIdentity): InitializeParams {
  const { info: clientInfo, capabilities, legacyCapabilities = capabilities } = client;
  return { protocolVersion: revision, capabilities: legacyCapabilities, clientInfo };
}

/** Server: the revision asked for if it is spoken here, otherwise the newest one that is. */
export function negotiateRevision(requested: string, spoken: readonly LegacyRevision[]): LegacyRevision {
  const match = spoken.find((revision) => revision === requested);
  // A server that speaks no legacy revision never gets here.
  return match ?? (latestLegacy(spoken) as LegacyRevision);
}

/** Server: what the handshake settles for every later request of the connection. */
export function openSession(params: InitializeParams, revision: LegacyRevision): Envelope {
  return { revision, era: "legacy", clientInfo: params.clientInfo, clientCapabilities: params.capabilities };
}

/** Client: the revision the server settled on. @throws {SdkError} when this client does not speak it. */
export function acceptRevision(settled: string, spoken: readonly Revision[]): LegacyRevision {
  if (isLegacyRevision(settled) && spoken.includes(settled)) return settled;
  throw new SdkError(
    "no-shared-revision",
    `The server wants protocol revision ${settled}; this client speaks ${spoken.join(", ")}`,
  );
}
