/** What differs between Node and web-standard runtimes. The package's `imports` choose the implementation. */
import type { SendHttp } from "../http/http-call.js";
import type { ServerCommand } from "../server-command.js";
import type { Transport } from "../transport.js";

export interface Platform {
  /** Makes HTTP calls where the application brings no `fetch` of its own. */
  readonly http: SendHttp;
  /** A server that runs in a process of its own. @throws {SdkError} `invalid-argument` where there are none. */
  spawn(command: ServerCommand): Transport;
}
