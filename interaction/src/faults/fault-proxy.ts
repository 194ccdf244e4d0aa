/**
 * A proxy on loopback that passes bytes on as a script says: in pieces, late, and cut off or half closed at any byte.
 * It knows nothing of HTTP, so faults strike anywhere: in a head, between two events, within a character.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface LineFault {
  /** `up` is towards the server. */
  readonly direction: "up" | "down";
  /** How many bytes of that direction pass before it strikes. */
  readonly afterBytes: number;
  /** `half-close` ends the one direction alone, and drops the rest of it. */
  readonly kind: "cut" | "reset" | "half-close";
}

/** What becomes of one connection. */
export interface LineScript {
  /** Bytes are passed on in pieces of so many at most. */
  readonly pieceBytes: number;
  /** Turns of the event loop that each piece waits. */
  readonly delayTurns: number;
  readonly fault?: LineFault | undefined;
}

const CALM: LineScript = { pieceBytes: Number.POSITIVE_INFINITY, delayTurns: 0 };

export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export class FaultProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  /** How many faults have struck. */
  faults = 0;
  #scripts: readonly LineScript[] = [];

  private constructor(target: URL) {
    // Each side closes its own half: a client that has sent all may still be reading.
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const server = connect({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
      const line = new Line(client, server, this.#takeScript(), {
        onFault: () => {
          this.faults += 1;
        },
        onClosed: () => void this.#lines.delete(line),
      });
      this.#lines.add(line);
    });
  }

  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(new URL(target));
    await new Promise<void>((resolve) => void proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Where the given server is reached through this proxy. */
  urlFor(target: string): string {
    const url = new URL(target);
    // A server that listens has an address with a port.
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  /** How many connections are open. */
  get size(): number {
    return this.#lines.size;
  }

  /** Connections from now on follow these scripts, one each; those after them pass everything on as it comes. */
  follow(scripts: readonly LineScript[]): void {
    this.#scripts = scripts;
  }

  /** From now on everything passes, over connections that are open too. */
  calm(): void {
    this.#scripts = [];
    for (const line of this.#lines) line.script = CALM;
  }

  /** Cuts every connection that is open. */
  cut(): void {
    this.faults += this.#lines.size;
    for (const line of this.#lines) line.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.cut();
    await closed;
  }

  #takeScript(): LineScript {
    const [next = CALM, ...rest] = this.#scripts;
    this.#scripts = rest;
    return next;
  }
}

interface LineEvents {
  readonly onFault: () => void;
  readonly onClosed: () => void;
}

class Line {
  script: LineScript;
  readonly #sockets: readonly [Socket, Socket];
  readonly #events: LineEvents;

  constructor(client: Socket, server: Socket, script: LineScript, events: LineEvents) {
    this.script = script;
    this.#events = events;
    this.#sockets = [client, server];
    for (const socket of this.#sockets) {
      // Whatever went wrong, the socket closes next.
      socket.on("error", () => undefined);
      socket.setNoDelay(true);
    }
    client.once("close", () => this.destroy());
    server.once("close", () => {
      this.destroy();
      events.onClosed();
    });
    this.#join(client, server, "up");
    this.#join(server, client, "down");
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(from: Socket, to: Socket, direction: LineFault["direction"]): void {
    let passed = 0;
    let turn = Promise.resolve();
    const pass = async (bytes: Buffer): Promise<void> => {
      for (let rest = bytes; rest.length > 0 && to.writable; ) {
        for (let turns = this.script.delayTurns; turns > 0; turns -= 1) await nextTurn();
        const { pieceBytes, fault } = this.script;
        const left = fault?.direction === direction ? fault.afterBytes - passed : Number.POSITIVE_INFINITY;
        if (fault && left <= 0) return this.#strike(fault, to);
        const piece = rest.subarray(0, Math.min(pieceBytes, left));
        to.write(piece);
        passed += piece.length;
        rest = rest.subarray(piece.length);
      }
    };
    from.on("data", (bytes: Buffer) => {
      from.pause();
      turn = turn.then(() => pass(bytes)).then(() => void from.resume());
    });
    from.once("end", () => {
      turn = turn.then(() => void to.end());
    });
  }

  #strike({ kind }: LineFault, to: Socket): void {
    this.#events.onFault();
    if (kind === "half-close") to.end();
    else if (kind === "cut") this.destroy();
    else for (const socket of this.#sockets) reset(socket);
  }
}

/** Node never closes a socket that is reset while it is ending. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
