/** A server of any implementation, in each way in which it can be served. */
import type { Exhibit } from "./exhibit.js";
import type { Feature } from "./features.js";
import type { Endpoint, Era, Revision } from "./peer-client.js";

export interface RunningServer extends AsyncDisposable {
  readonly endpoint: Endpoint;
}

export interface ServerMode {
  readonly name: string;
  readonly era: Era;
  /** The newest revision of the era that the server speaks: what both sides are to agree on. */
  readonly revision: Revision;
  /** Has the client ask for that revision, instead of for the newest it knows itself. */
  readonly asksForRevision?: boolean;
  /** Has the client declare no roots. */
  readonly withoutRoots?: boolean;
  /** What cannot be had of this server in this mode, and why. */
  readonly lacks: Partial<Record<Feature, string>>;
  start(): Promise<RunningServer>;
}

export interface ServerPeer {
  readonly name: string;
  readonly packageName: string;
  readonly exhibit: Exhibit;
  readonly modes: readonly ServerMode[];
}
