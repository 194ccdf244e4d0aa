/** The address by which limits tell clients apart. */
import { isIPv6 } from "node:net";

const MAPPED = "::ffff:";

/** An IPv4 address that a socket for both families shows as one of IPv6, as it is. */
export function unmapped(remote: string): string {
  return remote.startsWith(MAPPED) ? remote.slice(MAPPED.length) : remote;
}

/** An IPv4 address, or the network of an IPv6 address. Unix sockets and lost connections have none. */
export function clientAddress(remote: string | undefined): string | undefined {
  if (remote === undefined) return undefined;
  const address = unmapped(remote);
  return isIPv6(address) ? network(address) : address;
}

/** The first 64 bits: a single client commonly has all addresses below them. */
function network(address: string): string {
  const [head = "", tail] = address.split("%", 1).join("").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
