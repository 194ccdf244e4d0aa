/**
 * Table of open connections, limited in total and per address. At a limit, an idle connection is closed for the new one,
 * first of the address with the most connections. If none is idle, the new connection is refused.
 */
import { BlockList, isIPv4, isIPv6, type Socket } from "node:net";
import { limitReached } from "../../errors/limit-reached.js";
import { checkLimit } from "../../errors/option-checks.js";
import type { OptionTable } from "../../errors/option-table.js";
import type { ProtocolError } from "../../errors/protocol-error.js";
import { SdkError } from "../../errors/sdk-error.js";
import { clientAddress, unmapIpv4 } from "../http/client-address.js";

export interface ConnectionLimits {
  /**
   * Connections at a time. At the limit, the server closes an idle connection for a new one, or refuses the new one.
   * @defaultValue 16_384 over HTTP, 100 on sockets
   */
  readonly maxConnections?: number | undefined;
  /**
   * Connections of one address at a time. An IPv6 address counts by its first 64 bits. Unix sockets have no address.
   * @defaultValue a quarter of maxConnections
   */
  readonly maxConnectionsPerAddress?: number | undefined;
  /**
   * Addresses or subnets (`"10.0.0.0/8"`) that many clients share, such as a reverse proxy's. They are exempt from
   * `maxConnectionsPerAddress`.
   * @defaultValue ["127.0.0.0/8", "::1"]
   */
  readonly sharedAddresses?: readonly string[] | undefined;
}

export const CONNECTION_LIMITS: OptionTable<ConnectionLimits> = {
  maxConnections: true,
  maxConnectionsPerAddress: true,
  sharedAddresses: "list",
};

/** The limit that refused a connection. */
export type ConnectionRefusal = "per-address" | "total";

const LOOPBACK = ["127.0.0.0/8", "::1"];
const DEFAULT_SHARE = 1 / 4;
/** Connections to examine for one new connection. Busy ones move to the end, so that the next search examines others. */
const MAX_LOOKED_AT = 256;

export class ConnectionTable {
  readonly #max: number;
  readonly #maxPerAddress: number;
  readonly #shared: BlockList;
  readonly #isIdle: (socket: Socket) => boolean;
  readonly #sockets = new Map<Socket, string | undefined>();
  readonly #byAddress = new Map<string, Set<Socket>>();

  /** @throws {SdkError} `invalid-argument` for a limit below 1 or an invalid shared address. */
  constructor(limits: ConnectionLimits, maxConnections: number, isIdle: (socket: Socket) => boolean) {
    const { maxConnections: max = maxConnections } = limits;
    checkLimit("maxConnections", max);
    const { maxConnectionsPerAddress: maxPerAddress = Math.ceil(max * DEFAULT_SHARE) } = limits;
    checkLimit("maxConnectionsPerAddress", maxPerAddress);
    this.#max = max;
    this.#maxPerAddress = maxPerAddress;
    this.#shared = blockList(limits.sharedAddresses ?? LOOPBACK);
    this.#isIdle = isIdle;
  }

  /** Adds a connection until it closes, or returns the limit that refuses it. */
  admit(socket: Socket): ConnectionRefusal | undefined {
    const address = this.#countedAddress(socket.remoteAddress);
    const group = this.#group(address);
    if (group && group.size >= this.#maxPerAddress && !this.#closeIdle(group)) return "per-address";
    if (this.#sockets.size >= this.#max && !this.#closeIdle(this.#sockets.keys())) return "total";
    this.#add(socket, address);
    socket.once("close", () => this.#remove(socket));
    return undefined;
  }

  #countedAddress(remote: string | undefined): string | undefined {
    if (remote === undefined) return undefined;
    const address = unmapIpv4(remote);
    if (this.#shared.check(address, isIPv6(address) ? "ipv6" : "ipv4")) return undefined;
    return clientAddress(address);
  }

  #closeIdle(sockets: Iterable<Socket>): boolean {
    let chosen: Socket | undefined;
    let most = -1;
    const busy: Socket[] = [];
    let lookedAt = 0;
    for (const socket of sockets) {
      lookedAt += 1;
      if (lookedAt > MAX_LOOKED_AT) break;
      if (!this.#isIdle(socket)) {
        busy.push(socket);
        continue;
      }
      const count = this.#group(this.#sockets.get(socket))?.size ?? 0;
      if (count <= most) continue;
      chosen = socket;
      most = count;
    }
    for (const socket of busy) this.#moveToEnd(socket);
    if (chosen === undefined) return false;
    this.#remove(chosen);
    chosen.destroy();
    return true;
  }

  #moveToEnd(socket: Socket): void {
    const address = this.#sockets.get(socket);
    this.#remove(socket);
    this.#add(socket, address);
  }

  #add(socket: Socket, address: string | undefined): void {
    this.#sockets.set(socket, address);
    if (address === undefined) return;
    const group = this.#group(address);
    if (group) group.add(socket);
    else this.#byAddress.set(address, new Set([socket]));
  }

  #remove(socket: Socket): void {
    const address = this.#sockets.get(socket);
    this.#sockets.delete(socket);
    const group = this.#group(address);
    group?.delete(socket);
    if (group?.size === 0) this.#byAddress.delete(String(address));
  }

  #group(address: string | undefined): Set<Socket> | undefined {
    return address === undefined ? undefined : this.#byAddress.get(address);
  }
}

/** The error that answers a refused connection. */
export function tooManyConnections(refusal: ConnectionRefusal): ProtocolError {
  const whose = refusal === "total" ? "" : " from this address";
  return limitReached(refusal === "total" ? "server" : "address", `The server has too many connections${whose}`);
}

function blockList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of addresses) {
    const [address = "", prefix] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    const bits = family === "ipv6" ? 128 : 32;
    const length = Number(prefix ?? bits);
    if (!(isIPv4(address) || isIPv6(address)) || !Number.isInteger(length) || length < 0 || length > bits) {
      throw new SdkError("invalid-argument", `sharedAddresses: expected an address or a subnet, got ${entry}`);
    }
    list.addSubnet(address, length, family);
  }
  return list;
}
