/** Decides from the host of a URL whether a peer is on this machine, in its network, or public, and may be called. */
import { type AddressKind, addressKind, isAddress } from "./address-kind.js";
import { isLoopbackHost } from "./loopback.js";

/** Names that resolve only inside a network (RFC 6761, RFC 6762, RFC 8375, and the reserved `internal`). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/** Whether a URL names a server of this machine or network. Its authorization server may then have a private address. */
export function isLocalPeer(url: URL): boolean {
  return isReachable(hostKind(url.hostname), true) && !isReachable(hostKind(url.hostname), false);
}

/** The kind of a URL's host, without resolving the host name. */
export function hostKind(hostname: string): AddressKind {
  if (isAddress(hostname)) return addressKind(hostname);
  if (isLoopbackHost(hostname)) return "loopback";
  return LOCAL_NAME.test(hostname) ? "private" : "public";
}

/** Whether a call may go to an address of this kind. */
export function isReachable(kind: AddressKind, allowPrivate: boolean): boolean {
  return kind === "public" || (allowPrivate && kind !== "forbidden");
}
