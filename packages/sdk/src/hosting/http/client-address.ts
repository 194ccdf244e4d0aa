/** Normalizes network addresses, so that limits can count by client. */
import { describeKind } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { isPromiseLike } from "../../runtime/maybe-promise.js";

const MAPPED = "::ffff:";
const MAX_IPV6_LENGTH = 39;
const IPV6 = /^(?:[\da-f]{1,4}:){7}[\da-f]{1,4}$|^[\da-f:]*::[\da-f:]*$/i;

/**
 * The address that the option `clientAddress` returned; undefined if it returned none. The values of a repeated header are joined.
 * @throws {SdkError} `invalid-argument` for a value of another type, under which all clients would share one rate
 */
export function configuredAddress(configured: unknown): string | undefined {
  if (configured === undefined || configured === null || configured === "") return undefined;
  if (typeof configured === "string" || Array.isArray(configured)) return clientAddress(String(configured));
  // The promise is dropped, and its rejection must not end the process.
  if (isPromiseLike(configured)) configured.then(undefined, () => undefined);
  const got = isPromiseLike(configured) ? "a promise" : describeKind(configured);
  throw new SdkError(
    "invalid-argument",
    `clientAddress: expected a function that returns a string, got ${got} from it`,
  );
}

/** Removes the `::ffff:` prefix of an IPv4 address from a dual-stack socket. */
export function unmapIpv4(remote: string): string {
  return remote.startsWith(MAPPED) ? remote.slice(MAPPED.length) : remote;
}

/**
 * An IPv4 address, the first 64 bits of an IPv6 address, or any other text unchanged. Undefined for Unix sockets and lost
 * connections.
 */
export function clientAddress(remote: string | undefined): string | undefined {
  if (remote === undefined) return undefined;
  const [address = ""] = unmapIpv4(remote).split("%", 1);
  return address.length <= MAX_IPV6_LENGTH && IPV6.test(address) ? network(address) : unmapIpv4(remote);
}

/** The networks of a client, from the widest to its own address. */
export type ClientNetworks = readonly [wide: string, site: string, address: string];

/**
 * The first 32, 48 and 64 bits of an IPv6 address. Of an IPv4 address the first 24 bits, then all bits, since addresses are few.
 * Any other text thrice.
 */
export function networksOf(remote: string): ClientNetworks {
  const address = String(clientAddress(remote));
  const [groups, bytes] = [address.split(":"), address.split(".")];
  if (groups.length === 4) return [groups.slice(0, 2).join(":"), groups.slice(0, 3).join(":"), address];
  return [bytes.length === 4 ? bytes.slice(0, 3).join(".") : address, address, address];
}

/** The network that one client may have whole: 48 bits of IPv6, or 24 bits of IPv4. */
export function siteOf(remote: string): string {
  const [wide, site, address] = networksOf(remote);
  return address.includes(":") ? site : wide;
}

/** The first 64 bits. One client commonly has all addresses with the same prefix. */
function network(address: string): string {
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
