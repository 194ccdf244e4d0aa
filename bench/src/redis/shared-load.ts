/** Calls in legacy sessions, each call to the next process. */
import { Pool } from "undici";

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const REVISION = "2025-11-25";

/** One session, whose calls go to the processes in turn. */
class SharedSession {
  readonly #pools: readonly Pool[];
  readonly #headers: Record<string, string>;
  #count = 0;

  private constructor(pools: readonly Pool[], id: string) {
    this.#pools = pools;
    this.#headers = { ...HEADERS, "mcp-session-id": id, "mcp-protocol-version": REVISION };
  }

  static async open(pools: readonly Pool[]): Promise<SharedSession> {
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } };
    const [pool] = pools;
    const answer = await pool?.request({
      method: "POST",
      path: "/mcp",
      headers: HEADERS,
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    });
    await answer?.body.dump();
    const session = new SharedSession(pools, String(answer?.headers["mcp-session-id"]));
    await session.#post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return session;
  }

  /** @throws {Error} for an answer that is not the tool's. */
  async call(): Promise<void> {
    const id = this.#count + 1;
    const text = await this.#post({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo" } });
    if (!text.includes(`"id":${id}`) || !text.includes('"text":"echo"')) throw new Error(`No answer: ${text}`);
  }

  async #post(message: object): Promise<string> {
    const pool = this.#pools[this.#count % this.#pools.length];
    this.#count += 1;
    const body = JSON.stringify(message);
    const answer = await pool?.request({ method: "POST", path: "/mcp", headers: this.#headers, body });
    return (await answer?.body.text()) ?? "";
  }
}

export class SharedLoad implements AsyncDisposable {
  readonly #pools: readonly Pool[];
  readonly #sessions: readonly SharedSession[];

  private constructor(pools: readonly Pool[], sessions: readonly SharedSession[]) {
    this.#pools = pools;
    this.#sessions = sessions;
  }

  static async open(urls: readonly string[], lanes: number): Promise<SharedLoad> {
    const pools = urls.map((url) => new Pool(new URL(url).origin, { connections: lanes }));
    const sessions = await Promise.all(Array.from({ length: lanes }, () => SharedSession.open(pools)));
    return new SharedLoad(pools, sessions);
  }

  async callsPerSecond(ms: number): Promise<number> {
    const startedAt = performance.now();
    let calls = 0;
    await Promise.all(
      this.#sessions.map(async (session) => {
        while (performance.now() - startedAt < ms) {
          await session.call();
          calls += 1;
        }
      }),
    );
    return (calls * 1_000) / (performance.now() - startedAt);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}
