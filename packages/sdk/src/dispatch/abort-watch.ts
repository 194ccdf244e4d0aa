/**
 * Shared abort listeners: all requests with the same signal use one listener, since Node warns of a leak from the eleventh
 * on. The listener is removed with the last watcher.
 */
export interface AbortWatcher {
  aborted(signal: AbortSignal): void;
}

interface Watched {
  readonly watchers: Set<AbortWatcher>;
  readonly listener: () => void;
}

const watchedSignals = new WeakMap<AbortSignal, Watched>();

export function watchAbort(signal: AbortSignal, watcher: AbortWatcher): void {
  let watched = watchedSignals.get(signal);
  if (watched === undefined) {
    const watchers = new Set<AbortWatcher>();
    const listener = () => {
      for (const each of [...watchers]) each.aborted(signal);
    };
    watched = { watchers, listener };
    watchedSignals.set(signal, watched);
    signal.addEventListener("abort", listener);
  }
  watched.watchers.add(watcher);
}

export function unwatchAbort(signal: AbortSignal, watcher: AbortWatcher): void {
  const watched = watchedSignals.get(signal);
  if (watched === undefined || !watched.watchers.delete(watcher) || watched.watchers.size > 0) return;
  watchedSignals.delete(signal);
  signal.removeEventListener("abort", watched.listener);
}
