/** What differs between Node and web-standard runtimes. The package's `imports` choose the implementation. */
import type { SendHttp } from "../http/http-call.js";
import type { HttpDispatcher } from "../http/http-client-options.js";
import type { ServerCommand } from "../server-command.js";
import type { Transport } from "../transport.js";

/** The reason not to connect to an address that a host name resolves to, or undefined if a connection is fine. */
export type AddressCheck = (hostname: string, address: string) => Error | undefined;

export interface Platform {
  /** Makes HTTP calls where the application brings no `fetch` of its own. */
  readonly http: SendHttp;
  /** An HTTP client over a dispatcher. @throws {SdkError} `invalid-argument` where there are none. */
  dispatcherHttp(dispatcher: HttpDispatcher): SendHttp;
  /**
   * An HTTP client that connects only to addresses that `check` lets pass, and fails with its error otherwise. Runtimes that
   * hide their resolver check nothing. Hosts that are addresses already are not checked here.
   */
  checkedHttp(check: AddressCheck): SendHttp;
  /** A server that runs in a process of its own. @throws {SdkError} `invalid-argument` where there are none. */
  spawn(command: ServerCommand): Transport;
}
