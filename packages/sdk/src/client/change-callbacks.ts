/** Being called back about changes instead of reading them one by one. */
import type { ListenFilter } from "./listen-filter.js";
import type { Subscription } from "./subscription.js";

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
