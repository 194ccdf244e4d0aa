/** Calls a callback for each change of a list, for callers that do not iterate over a subscription. */
import { SdkError } from "../errors/sdk-error.js";
import { jsonBytes } from "../runtime/json-size.js";
import type { ListenFilter } from "./listen-filter.js";
import type { Subscription } from "./subscriptions.js";

const DEFAULT_MAX_REFRESH_BYTES = 67_108_864;

/** Options of `onToolsChanged` and its siblings. */
export interface RefreshOptions {
  /** Fetch the list before each callback, and pass it. */
  readonly refresh: boolean;
}

export interface ChangeCallback<Value> {
  readonly filter: ListenFilter;
  /** Fetches the list that the callback gets. Undefined: the callback gets no list. */
  readonly refresh: (() => Promise<Value>) | undefined;
  callback(value: Value | undefined): unknown;
  /** Called with errors of the refresh, the callback or the subscription. Later changes still call back. */
  onError(error: unknown): void;
}

/** Calls back after each change until the subscription ends. Changes during a callback cause one more callback. */
export async function runChangeCallback<Value>(
  listen: (filter: ListenFilter) => Promise<Subscription>,
  { filter, refresh, callback, onError }: ChangeCallback<Value>,
): Promise<Subscription> {
  const changes = await listen(filter);
  const run = async () => {
    for await (const _change of changes) {
      try {
        await callback(await refresh?.());
      } catch (error) {
        onError(error);
      }
    }
  };
  run().catch(onError);
  return changes;
}

/** Collects all items of a list. @throws {SdkError} `too-large` */
export async function collect<Item>(
  items: AsyncIterable<Item>,
  maxBytes: number = DEFAULT_MAX_REFRESH_BYTES,
): Promise<Item[]> {
  const all: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    bytes += jsonBytes(item);
    if (bytes > maxBytes) {
      throw new SdkError(
        "too-large",
        `The list is larger than ${maxBytes} bytes; raise maxRefreshBytes if that is right`,
      );
    }
    all.push(item);
  }
  return all;
}
