/** The `initialize` handshake as pure functions: how client and server negotiate a revision. */
import { SdkError } from "../errors/sdk-error.js";
import type { InitializeParams } from "../protocol/lifecycle.js";
import { isLegacyRevision, type LegacyRevision, type Revision } from "../protocol/revisions.js";
import type { ClientIdentity, Envelope } from "./era-codec.js";

/** The newest legacy revision of a list; undefined if it has none. */
export function latestLegacy(revisions: readonly Revision[]): LegacyRevision | undefined {
  return revisions.filter(isLegacyRevision).sort().at(-1);
}

export function encodeInitialize(revision: LegacyRevision, client: ClientIdentity): InitializeParams {
  const { info: clientInfo, capabilities, legacyCapabilities = capabilities } = client;
  return { protocolVersion: revision, capabilities: legacyCapabilities, clientInfo };
}

/** Server: the requested revision if the server speaks it, otherwise the server's newest legacy revision. */
export function negotiateRevision(requested: string, spoken: readonly LegacyRevision[]): LegacyRevision {
  const match = spoken.find((revision) => revision === requested);
  // A server without legacy revisions refuses `initialize` before this call.
  return match ?? (latestLegacy(spoken) as LegacyRevision);
}

/** Server: the envelope that every later request of the connection gets. */
export function openSession(params: InitializeParams, revision: LegacyRevision): Envelope {
  return { revision, era: "legacy", clientInfo: params.clientInfo, clientCapabilities: params.capabilities };
}

/** Client: checks the revision that the server chose. @throws {SdkError} `no-shared-revision` if the client does not speak it. */
export function acceptRevision(settled: string, spoken: readonly Revision[]): LegacyRevision {
  if (isLegacyRevision(settled) && spoken.includes(settled)) return settled;
  throw new SdkError(
    "no-shared-revision",
    `The server wants protocol revision ${settled}; this client speaks ${spoken.join(", ")}`,
  );
}
