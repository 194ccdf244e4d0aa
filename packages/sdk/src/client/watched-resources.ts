/** The resources that a legacy client watches: the server is asked once for each, however many subscriptions want it. */
import type { Link } from "./link.js";

interface Watch {
  readonly asked: Promise<unknown>;
  count: number;
}

export class WatchedResources {
  readonly #byUri = new Map<string, Watch>();

  /** Rejects with the server's refusal. Otherwise returns what ends this watch; the last one out tells the server. */
  async watch(link: Pick<Link, "request">, uri: string): Promise<() => Promise<void>> {
    const watch = this.#byUri.get(uri) ?? { asked: link.request("resources/subscribe", { uri }), count: 0 };
    this.#byUri.set(uri, watch);
    watch.count += 1;
    try {
      await watch.asked;
    } catch (error) {
      // Everybody who shares the question gets here; the next one asks anew.
      if (this.#byUri.get(uri) === watch) this.#byUri.delete(uri);
      throw error;
    }
    return async () => {
      watch.count -= 1;
      if (watch.count > 0) return;
      this.#byUri.delete(uri);
      await link.request("resources/unsubscribe", { uri });
    };
  }
}
