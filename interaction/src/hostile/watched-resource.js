/** A resource of which a client publishes changes, and waits until its own subscription has heard of them. */

const DEADLINE_MS = 10_000;

export class WatchedResource {
  /** @type {Set<() => void>} */
  #waiting = new Set();
  #client;
  #uri;

  /** @param {import("parley-mcp/client").Client} client @param {string} uri */
  constructor(client, uri) {
    this.#client = client;
    this.#uri = uri;
  }

  async listen() {
    const changes = await this.#client.listen({ resource: [this.#uri] });
    // A subscription that is lost shows as a change that was not heard of.
    void this.#read(changes).catch(() => undefined);
  }

  /** @throws {Error} when the change is not heard of in time. */
  async publish() {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const heard = new Promise((resolve, reject) => {
      this.#waiting.add(() => resolve(undefined));
      timer = setTimeout(() => reject(new Error("the change was not heard of")), DEADLINE_MS);
    });
    try {
      await Promise.all([heard, this.#client.callTool("publish", { uri: this.#uri })]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {AsyncIterable<unknown>} changes */
  async #read(changes) {
    for await (const _change of changes) {
      for (const hear of this.#waiting) hear();
      this.#waiting.clear();
    }
  }
}
