/** The handshake of the legacy era, and discovery in the modern one. */
import type { CacheHint } from "./caching.js";
import type { ClientCapabilities, ServerCapabilities } from "./capabilities.js";
import type { Implementation } from "./implementation.js";
import type { RequestParams, Result } from "./message-base.js";

/** The params of `initialize`. */
export interface InitializeParams extends RequestParams {
  /** The revision that the client proposes, which may be unknown here. */
  protocolVersion: string;
  capabilities: ClientCapabilities;
  clientInfo: Implementation;
}

/** The result of `initialize`. */
export interface InitializeResult extends Result {
  protocolVersion: string;
  capabilities: ServerCapabilities;
  serverInfo: Implementation;
  instructions?: string | undefined;
}

/** The params of `server/discover`. */
export type DiscoverParams = RequestParams;

/** The result of `server/discover`. */
export interface DiscoverResult extends Result, CacheHint {
  supportedVersions: string[];
  capabilities: ServerCapabilities;
  instructions?: string | undefined;
}
