/** What the dispatcher contract runs on: two connected dispatchers, what crossed between them, what they reported. */
import { createMemoryTransports } from "../../transport/memory-transport.js";
import { recordTransport } from "../../transport/recording-transport.js";
import type { JsonRpcMessage } from "../../wire/json-rpc.js";
import { connectDirect } from "../direct-dispatcher.js";
import type { AcceptConnection, Dispatcher, DispatcherOptions, Receiver } from "../dispatcher.js";
import { JsonRpcDispatcher } from "../json-rpc-dispatcher.js";

export type Side = "left" | "right";

export interface Connection extends AsyncDisposable {
  readonly left: Dispatcher;
  readonly right: Dispatcher;
  /** Every message in the order it was sent, with its sender. */
  readonly wire: readonly { readonly from: Side; readonly message: JsonRpcMessage }[];
  readonly errors: Readonly<Record<Side, readonly Error[]>>;
}

/** The receivers' behavior; what is left out answers `{}` and ignores notifications. */
export interface Sides {
  readonly left?: Partial<Receiver>;
  readonly right?: Partial<Receiver>;
  readonly leftOptions?: DispatcherOptions;
  readonly rightOptions?: DispatcherOptions;
}

export type Connect = (sides?: Sides) => Promise<Connection>;

interface Log {
  readonly wire: { from: Side; message: JsonRpcMessage }[];
  readonly errors: Record<Side, Error[]>;
  readonly accept: Record<Side, AcceptConnection>;
  readonly options: Record<Side, DispatcherOptions>;
}

function prepare(sides: Sides): Log {
  const errors: Record<Side, Error[]> = { left: [], right: [] };
  const acceptor = (receiver: Partial<Receiver> | undefined): AcceptConnection => {
    return () => ({ request: () => ({}), notification: () => undefined, ...receiver });
  };
  return {
    wire: [],
    errors,
    accept: { left: acceptor(sides.left), right: acceptor(sides.right) },
    options: {
      left: { onError: (error) => errors.left.push(error), ...sides.leftOptions },
      right: { onError: (error) => errors.right.push(error), ...sides.rightOptions },
    },
  };
}

function finish(left: Dispatcher, right: Dispatcher, { wire, errors }: Log): Connection {
  return { left, right, wire, errors, [Symbol.asyncDispose]: () => left.close() };
}

export const connectInProcess: Connect = async (sides = {}) => {
  const log = prepare(sides);
  const [left, right] = connectDirect(log.accept.left, log.accept.right, {
    ...log.options,
    tap: (from, message) => log.wire.push({ from, message }),
  });
  return finish(left, right, log);
};

export const connectJsonRpc: Connect = async (sides = {}) => {
  const log = prepare(sides);
  const [leftEnd, rightEnd] = createMemoryTransports();
  const recorded = recordTransport(leftEnd, (direction, message) => {
    // Both ends are dispatchers, so what arrives here is what a dispatcher sent.
    log.wire.push({ from: direction === "sent" ? "left" : "right", message: message as JsonRpcMessage });
  });
  const left = await JsonRpcDispatcher.start(recorded, log.accept.left, log.options.left);
  const right = await JsonRpcDispatcher.start(rightEnd, log.accept.right, log.options.right);
  return finish(left, right, log);
};

// Taken before any test replaces the clock.
const runNextTask = globalThis.setTimeout;

/** Until everything under way has arrived: all delivery happens in microtasks, which run before the next task. */
export function everythingDelivered(): Promise<void> {
  return new Promise((resolve) => runNextTask(resolve));
}

export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function defer<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
