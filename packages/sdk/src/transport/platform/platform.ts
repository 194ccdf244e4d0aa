/** The `Platform` interface: the differences between Node and web-standard runtimes. The package's `imports` choose one. */
import type { SendHttp } from "../http/http-call.js";
import type { HttpDispatcher } from "../http/http-client-options.js";
import type { ServerCommand } from "../server-command.js";
import type { Transport } from "../transport.js";

/** Checks an address that a host name resolves to. Returns an error to refuse the connection. */
export type AddressCheck = (hostname: string, address: string) => Error | undefined;

export interface Platform {
  /** The HTTP client, used unless the application passes its own `fetch`. */
  readonly http: SendHttp;
  /** An HTTP client over an `undici` dispatcher. @throws {SdkError} `invalid-argument` on other runtimes than Node. */
  dispatcherHttp(dispatcher: HttpDispatcher): SendHttp;
  /**
   * An HTTP client that connects only to addresses for which `check` returns no error. Runtimes other than Node check
   * nothing, since they hide their resolver. URLs that contain an address instead of a name are not checked here.
   */
  checkedHttp(check: AddressCheck): SendHttp;
  /** Starts a server as a child process. @throws {SdkError} `invalid-argument` on runtimes without processes. */
  spawn(command: ServerCommand): Transport;
}
