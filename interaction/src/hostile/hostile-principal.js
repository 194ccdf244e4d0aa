/**
 * The hostile principal "mallory": every attack of rows 1 to 8 at once, each at a fixed rate, so that the load is bounded
 * and memory that grows is the server's doing. `HOSTILE_ONLY` names the attacks to run, for finding which one hurts.
 */
import { connect } from "node:net";
import { collidingDoubles } from "./colliding-doubles.js";
import {
  batchBytes,
  formBytes,
  httpBytes,
  initializeBytes,
  legacyBytes,
  modernBytes,
  modernText,
  sseInitializeBytes,
} from "./hostile-requests.js";
import { takePeaks } from "./memory-meter.js";
import { serveParent, settings } from "./parent-channel.js";

const { port, storedPort, tcpPort } = settings();
/** Just below the default limit of a body, with room for what surrounds the text. */
const LARGE = 4 * 1_048_576 - 2_048;
const MAX_STREAMS = 1_200;
const SILENT_TCP = 99;
const SILENT_HTTP = 200;
const RESPONSE_DEADLINE_MS = 20_000;

/** @type {Set<import("node:net").Socket>} */
const sockets = new Set();
/**
 * Responses by attack and status.
 * @type {Record<string, number>}
 */
const outcomes = {};
let revived = 0;

/** @param {string} outcome */
function note(outcome) {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

/** A socket that is closed at the end of the attack. @param {number} to */
function open(to) {
  const socket = connect(to, "127.0.0.1");
  sockets.add(socket);
  socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  return socket;
}

/**
 * Sends one request on a connection of its own, and resolves with the response's head; undefined if there was none. The
 * connection stays open if `keep` says so.
 * @param {string} attack @param {number} to @param {Buffer} bytes
 * @param {{ keep?: boolean }} [options]
 * @returns {Promise<string | undefined>}
 */
function send(attack, to, bytes, { keep = false } = {}) {
  return new Promise((resolve) => {
    const socket = open(to).setTimeout(RESPONSE_DEADLINE_MS);
    /** @param {string | undefined} head */
    const settle = (head) => {
      note(`${attack} ${head?.slice(9, 12) ?? "closed"}`);
      resolve(head);
    };
    socket.once("data", (bytes) => {
      settle(bytes.toString("latin1"));
      if (!keep) socket.destroy();
      else socket.resume();
    });
    socket.once("timeout", () => !keep && socket.destroy());
    socket.once("close", () => resolve(undefined));
    socket.write(bytes);
  });
}

/** @param {string} attack @param {number} to @param {Buffer} [initialize] */
async function openSession(attack, to, initialize = initializeBytes()) {
  const head = await send(attack, to, initialize);
  return /mcp-session-id: (\S+)/i.exec(head ?? "")?.[1];
}

/** A connection for many requests, opened again once the server has closed it. @param {number} to */
function lineTo(to) {
  /** @type {import("node:net").Socket | undefined} */
  let socket;
  return {
    write: (/** @type {Buffer} */ bytes) => {
      if (socket?.writable !== true) socket = open(to).resume();
      socket.write(bytes);
    },
  };
}

/** @param {number} index @param {number} length */
function uri(index, length) {
  return `note://${index}/${"u".repeat(length)}`;
}

/**
 * Attacks by name: the period in ms on a fast machine, and the act of each turn. The number is the row of the table. Periods of costly attacks
 * are primes, so that two of them seldom fall together.
 * @type {Record<string, { everyMs: number, act: (turn: number) => unknown }>}
 */
const attacks = {
  "1 form": {
    everyMs: 250,
    act: () => {
      const socket = open(tcpPort).setTimeout(1_000, () => socket.destroy());
      socket.resume().write(formBytes());
    },
  },
  "2 handshake": (() => {
    const text = "x".repeat(LARGE);
    const large = [
      initializeBytes({ clientInfo: { title: text } }),
      initializeBytes({ capabilities: { experimental: { x: { text } } } }),
    ];
    return {
      everyMs: 503,
      act: (/** @type {number} */ turn) =>
        void send("2 handshake", turn % 4 < 2 ? port : storedPort, large[turn % 2] ?? Buffer.alloc(0)),
    };
  })(),
  "2 subscription": {
    everyMs: 997,
    act: async (/** @type {number} */ turn) => {
      const session = await openSession("2 session", turn % 2 === 0 ? port : storedPort);
      if (session === undefined) return;
      const bytes = legacyBytes(session, "resources/subscribe", { uri: uri(turn, LARGE) });
      await send("2 subscription", turn % 2 === 0 ? port : storedPort, bytes);
    },
  },
  "2 listen": {
    everyMs: 1_009,
    act: (/** @type {number} */ turn) => {
      const notifications = { resourceSubscriptions: [uri(turn, LARGE)] };
      void send("2 listen", port, modernBytes("subscriptions/listen", { notifications }), { keep: true });
    },
  },
  "3 arguments": (() => {
    const unique = costlyCall("unique", collidingDoubles(30_000));
    const regex = costlyCall("regex", JSON.stringify("\\p{L}".repeat(20_000)));
    return {
      everyMs: 2_003,
      act: (/** @type {number} */ turn) => void send("3 arguments", port, turn % 2 === 0 ? unique : regex),
    };
  })(),
  "4 unread": {
    everyMs: 521,
    act: (/** @type {number} */ turn) => {
      const socket = open(turn % 2 === 0 ? port : storedPort).pause();
      const call = modernBytes("tools/call", { name: "large" });
      socket.write(Buffer.concat(Array.from({ length: 12 }, () => call)));
    },
  },
  "5 pipelined": (() => {
    const lines = [lineTo(port), lineTo(port)];
    const calls = Buffer.concat(Array.from({ length: 50 }, () => modernBytes("tools/call", { name: "hang" })));
    return { everyMs: 50, act: (/** @type {number} */ turn) => lines[turn % 2]?.write(calls) };
  })(),
  "5 hang up": (() => {
    /** @type {string | undefined} */
    let session;
    let isOpening = false;
    return {
      everyMs: 20,
      act: async (/** @type {number} */ turn) => {
        if (session === undefined || turn % 500 === 499) {
          if (isOpening) return;
          isOpening = true;
          session = await openSession("5 session", port);
          isOpening = false;
        }
        if (session === undefined) return;
        const socket = open(port);
        socket.write(legacyBytes(session, "tools/call", { name: "hang" }, turn), () => socket.destroy());
      },
    };
  })(),
  "6 batch": (() => {
    /** @type {string | undefined} */
    let path;
    return {
      everyMs: 541,
      act: async (/** @type {number} */ turn) => {
        if (path !== undefined) return send("6 batch", port, batchBytes(path, turn));
        const stream = open(port);
        stream.write(httpBytes("GET", "/sse", { accept: "text/event-stream" }));
        stream.on("data", (bytes) => {
          path ??= /data: (\S+)/.exec(bytes.toString("latin1"))?.[1];
          if (path !== undefined && stream.listenerCount("data") === 1) stream.removeAllListeners("data").resume();
          if (path !== undefined) void send("6 handshake", port, sseInitializeBytes(path));
        });
        stream.on("close", () => {
          path = undefined;
        });
        return undefined;
      },
    };
  })(),
  "7 delete": {
    everyMs: 200,
    act: async (/** @type {number} */ turn) => {
      const session = await openSession("7 session", storedPort);
      if (session === undefined) return;
      const headers = { "mcp-session-id": session };
      const ended = send("7 delete", storedPort, httpBytes("DELETE", "/mcp", headers));
      for (let posts = 0; posts < 5; posts += 1)
        void send("7 post", storedPort, legacyBytes(session, "ping", {}, posts));
      if (!(await ended)?.startsWith("HTTP/1.1 204")) return;
      const head = await send("7 post after the delete", storedPort, legacyBytes(session, "ping", {}, turn));
      if (head?.startsWith("HTTP/1.1 200")) revived += 1;
    },
  },
  "8 sessions": (() => {
    const lines = [lineTo(port), lineTo(storedPort)];
    const handshakes = Buffer.concat(Array.from({ length: 10 }, () => initializeBytes()));
    return {
      everyMs: 50,
      // One connection for many handshakes, since connections cost the server more than sessions.
      act: (/** @type {number} */ turn) => {
        lines[0]?.write(handshakes);
        if (turn % 5 === 0) lines[1]?.write(handshakes);
      },
    };
  })(),
  "8 streams": (() => {
    let opened = 0;
    return {
      everyMs: 50,
      act: () => {
        for (let count = 0; count < 5 && opened < MAX_STREAMS; count += 1) {
          opened += 1;
          const notifications = { resourceSubscriptions: ["note://modern"] };
          void send("8 stream", port, modernBytes("subscriptions/listen", { notifications }), { keep: true });
        }
      },
    };
  })(),
  "8 silence": (() => {
    /** @type {Set<import("node:net").Socket>} */
    const tcp = new Set();
    /** @type {Set<import("node:net").Socket>} */
    const http = new Set();
    /** @param {Set<import("node:net").Socket>} held @param {number} to @param {number} wanted */
    const fill = (held, to, wanted) => {
      for (let count = 0; count < 2 && held.size < wanted; count += 1) {
        const socket = open(to).resume();
        held.add(socket);
        socket.on("close", () => {
          note(`8 silence closed, ${to === tcpPort ? "tcp" : "http"}`);
          held.delete(socket);
        });
      }
    };
    return {
      everyMs: 100,
      act: () => {
        fill(tcp, tcpPort, SILENT_TCP);
        fill(http, port, SILENT_HTTP);
      },
    };
  })(),
};

/** A call whose argument is JSON text. @param {string} name @param {string} text */
function costlyCall(name, text) {
  const body = modernText(1, "tools/call", { name, arguments: { s: 0 } }).replace('"s":0', () => `"s":${text}`);
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
  return httpBytes("POST", "/mcp", headers, body);
}

const only = process.env.HOSTILE_ONLY?.split(",");
const chosen = Object.entries(attacks).filter(([name]) => only?.some((prefix) => name.startsWith(prefix)) ?? true);

serveParent(
  {},
  {
    attack: async ({ ms, pace }) => {
      takePeaks();
      const timers = chosen.map(([, { everyMs, act }]) => {
        let turn = 0;
        return setInterval(() => void act(turn++), everyMs * pace);
      });
      await new Promise((resolve) => void setTimeout(resolve, ms));
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return { outcomes, revived, ...takePeaks() };
    },
  },
);
