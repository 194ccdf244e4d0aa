/** Which requests are being served and which were, newest first, and everybody who watches. Bounded in every direction. */
import type { ExchangeReport } from "parley-mcp/node";
import type { ServerContext } from "parley-mcp/server";
import type { Middleware } from "parley-mcp/types";

export interface LoggedRequest {
  readonly at: number;
  readonly era: string;
  readonly request: string;
  readonly name: string;
  readonly status: string;
  readonly ms: number;
}

/** What a watcher gets: first all there is, from then on what is new. */
export interface LogUpdate {
  readonly isFirst: boolean;
  readonly total: number;
  /** What is being served right now. */
  readonly open: readonly string[];
  /** What has been served, oldest first. */
  readonly ended: readonly LoggedRequest[];
}

type Watcher = (update: LogUpdate) => void;

/** What there is in the legacy era besides single messages with a method. */
const LEGACY_EXCHANGES: Readonly<Record<string, string>> = {
  POST: "answer or batch",
  GET: "event stream",
  DELETE: "end of session",
};
const MAX_KEPT = 50;
const MAX_OPEN = 20;
const MAX_TEXT = 100;
/** Watchers hear of a burst at once. */
const PAUSE_MS = 100;

export class RequestLog {
  readonly #kept: LoggedRequest[] = [];
  readonly #open = new Map<symbol, string>();
  readonly #watchers = new Set<Watcher>();
  #total = 0;
  #unsent = 0;
  #pause: NodeJS.Timeout | undefined;

  /** For the host's `onExchange`. */
  record({ era, verb, method, name, status, isStream, ms }: ExchangeReport): void {
    this.#kept.push({
      at: Date.now(),
      era: era ?? "",
      request: shortened(method ?? (era === "legacy" ? LEGACY_EXCHANGES[verb] : undefined) ?? verb),
      name: shortened(name ?? ""),
      status: `${status ?? "gone"}${isStream ? " stream" : ""}`,
      ms: ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms),
    });
    if (this.#kept.length > MAX_KEPT) this.#kept.shift();
    this.#total += 1;
    this.#unsent = Math.min(this.#unsent + 1, this.#kept.length);
    this.#changed();
  }

  /** For `server.use`: sees requests while they last. Those from this process have no caller and do not count. */
  readonly middleware: Middleware<ServerContext> = async ({ direction, context, method, params }, next) => {
    if (direction === "outbound" || !context?.caller) return next();
    const key = Symbol(method);
    const name = params.name ?? params.uri ?? "";
    this.#open.set(key, shortened(`${method} ${typeof name === "string" ? name : ""}`.trimEnd()));
    this.#changed();
    try {
      return await next();
    } finally {
      this.#open.delete(key);
      this.#changed();
    }
  };

  /** Calls back with all there is, and then with what is new. Returns what ends it. */
  watch(watcher: Watcher): () => void {
    this.#send();
    this.#watchers.add(watcher);
    watcher({ ...this.#state(), isFirst: true, ended: [...this.#kept] });
    return () => void this.#watchers.delete(watcher);
  }

  #changed(): void {
    if (this.#watchers.size === 0) this.#unsent = 0;
    else this.#pause ??= setTimeout(() => this.#send(), PAUSE_MS).unref();
  }

  #send(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    const ended = this.#kept.slice(this.#kept.length - this.#unsent);
    this.#unsent = 0;
    for (const watcher of this.#watchers) watcher({ ...this.#state(), isFirst: false, ended });
  }

  #state(): Pick<LogUpdate, "total" | "open"> {
    return { total: this.#total, open: [...this.#open.values()].slice(0, MAX_OPEN) };
  }
}

/** What clients send may be of any length. */
function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
