/** Being called back about changes instead of reading them one by one. */
import { SdkError } from "../errors/sdk-error.js";
import { jsonBytes } from "../runtime/json-size.js";
import type { ListenFilter } from "./listen-filter.js";
import type { Subscription } from "./subscriptions.js";

const DEFAULT_MAX_REFRESH_BYTES = 67_108_864;

/** `refresh` fetches what changed before it calls back, and hands it over. */
export interface RefreshOptions {
  readonly refresh: boolean;
}

export interface ChangeCallback<Value> {
  readonly filter: ListenFilter;
  /** Fetches what changed; without it the callback is a signal alone. */
  readonly refresh: (() => Promise<Value>) | undefined;
  callback(value: Value | undefined): unknown;
  /** Hears of what the refresh, the callback or the subscription failed with; later changes still call back. */
  onError(error: unknown): void;
}

/** Calls back once per change, or for several at once if they came while it was busy, until the subscription ends. */
export async function callBack<Value>(
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

/** All items of a list. @throws {SdkError} `too-large` */
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
