/** The address by which limits tell clients apart. */

const MAPPED = "::ffff:";
const MAX_IPV6_LENGTH = 39;
const IPV6 = /^(?:[\da-f]{1,4}:){7}[\da-f]{1,4}$|^[\da-f:]*::[\da-f:]*$/i;

/** An IPv4 address that a socket for both families shows as one of IPv6, as it is. */
export function unmapped(remote: string): string {
  return remote.startsWith(MAPPED) ? remote.slice(MAPPED.length) : remote;
}

/**
 * An IPv4 address, the network of an IPv6 address, or any other name as it is. Unix sockets and lost connections have
 * none.
 */
export function clientAddress(remote: string | undefined): string | undefined {
  if (remote === undefined) return undefined;
  const [address = ""] = unmapped(remote).split("%", 1);
  return address.length <= MAX_IPV6_LENGTH && IPV6.test(address) ? network(address) : unmapped(remote);
}

/** The first 64 bits: a single client commonly has all addresses below them. */
function network(address: string): string {
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
