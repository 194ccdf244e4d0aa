/** A token bucket per client: bursts are fine, a flood is told when to come back. */
import { type Middleware, ProtocolError, type ServerContext } from "parley-mcp/server";

/** Application codes lie outside the range that JSON-RPC and MCP keep for themselves. */
export const TOO_MANY_REQUESTS = 429;

export interface RateLimitOptions {
  /** How many requests may come at once. */
  readonly burst: number;
  /** How many come back each second. */
  readonly perSecond: number;
  /** Whose requests count together. Take what the host has authenticated; a name that clients report is no identity. */
  readonly whose?: (context: ServerContext) => string;
  /** The clients remembered at a time; beyond it the one that was idle longest is forgotten. */
  readonly maxClients?: number;
  readonly now?: () => number;
}

export function rateLimit(options: RateLimitOptions): Middleware<ServerContext> {
  const { burst, perSecond, maxClients = 10_000, now = Date.now } = options;
  const { whose = (context) => context.caller?.principal ?? "anonymous" } = options;
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  return ({ context }, next) => {
    // Notifications, and what this server sends, have no context.
    if (!context) return next();
    const client = whose(context);
    const atMs = now();
    const last = buckets.get(client) ?? { tokens: burst, atMs };
    const tokens = Math.min(burst, last.tokens + ((atMs - last.atMs) / 1_000) * perSecond);
    const isAllowed = tokens >= 1;
    // Deleted first, so that the map's order is that of the last request.
    buckets.delete(client);
    buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, atMs });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= maxClients) break;
      buckets.delete(oldest);
    }
    if (isAllowed) return next();
    const retryAfterMs = Math.ceil(((1 - tokens) / perSecond) * 1_000);
    throw new ProtocolError(TOO_MANY_REQUESTS, `Too many requests: try again in ${retryAfterMs} ms`, {
      data: { retryAfterMs },
    });
  };
}
