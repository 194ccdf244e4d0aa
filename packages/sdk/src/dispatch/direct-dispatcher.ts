/** Two dispatchers joined in one process. Messages pass by reference: they are not serialized, classified or copied. */
import { SdkError } from "../errors/sdk-error.js";
import { runGuarded } from "../runtime/error-callback.js";
import type { JsonObject } from "../runtime/json.js";
import { PipeEnd } from "../transport/pipe.js";
import type { JsonRpcMessage } from "../wire/json-rpc.js";
import { BaseDispatcher } from "./base-dispatcher.js";
import type { AcceptConnection, BatchCall, Dispatcher, DispatcherOptions } from "./dispatcher.js";

type Tap = (message: JsonRpcMessage) => void;

class DirectDispatcher extends BaseDispatcher {
  readonly #pipe: PipeEnd<JsonRpcMessage>;
  readonly #tap: Tap | undefined;
  readonly carriesHeaders = false;

  constructor(pipe: PipeEnd<JsonRpcMessage>, options: DispatcherOptions, tap: Tap | undefined) {
    super(options);
    this.#pipe = pipe;
    this.#tap = tap;
  }

  start(accept: AcceptConnection): void {
    this.attach(accept);
    this.#pipe.start({ receive: (message) => this.#receive(message), closed: () => this.end() });
  }

  protected override transmit(message: JsonRpcMessage): void {
    const tap = this.#tap;
    if (tap !== undefined) {
      runGuarded(
        () => tap(message),
        (cause) => this.report(new SdkError("handler-failed", "The tap failed", { cause })),
      );
    }
    if (!this.#pipe.send(message)) throw new SdkError("connection-closed", "The in-process connection is closed");
  }

  protected override requestTogether(calls: readonly BatchCall[]): Promise<JsonObject>[] {
    return calls.map(({ method, params, options }) => this.request(method, params, options));
  }

  protected override unanswered(): void {
    // There is no transport with a stream to close.
  }

  protected override disconnect(): void {
    this.#pipe.close();
  }

  #receive(message: JsonRpcMessage): void {
    if ("method" in message) {
      if ("id" in message) this.receiveRequest(message);
      else this.receiveNotification(message);
    } else if ("result" in message) this.pending.receiveResult(message.id, message.result);
    else this.pending.receiveError(message.id, message.error);
  }
}

export interface DirectOptions {
  /** @defaultValue none */
  readonly left?: DispatcherOptions;
  /** @defaultValue none */
  readonly right?: DispatcherOptions;
  /** Called with every message. @defaultValue none */
  readonly tap?: (from: "left" | "right", message: JsonRpcMessage) => void;
}

/** Joins two receivers in process. Messages reach the other side in order, in a later microtask. */
export function connectDirect(
  acceptLeft: AcceptConnection,
  acceptRight: AcceptConnection,
  options: DirectOptions = {},
): [Dispatcher, Dispatcher] {
  const { left = {}, right = {}, tap } = options;
  const [leftPipe, rightPipe] = PipeEnd.join<JsonRpcMessage>();
  const leftDispatcher = new DirectDispatcher(leftPipe, left, tap && ((message) => tap("left", message)));
  const rightDispatcher = new DirectDispatcher(rightPipe, right, tap && ((message) => tap("right", message)));
  leftDispatcher.start(acceptLeft);
  rightDispatcher.start(acceptRight);
  return [leftDispatcher, rightDispatcher];
}
