/** Where a peer is: on this machine, in its network, or anywhere else. Decides which addresses may be called. */
import { type AddressKind, addressKind, isAddress } from "./address-kind.js";
import { isLoopbackHost } from "./loopback.js";

/** Names that only resolve inside of a network (RFC 6761, RFC 6762, RFC 8375, and the reserved `internal`). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/** Whether a URL names a server of this machine or network, whose authorization server may then have a private address. */
export function isLocalPeer(url: URL): boolean {
  return isReachable(hostKind(url.hostname), true) && !isReachable(hostKind(url.hostname), false);
}

/** The kind of the host of a URL, as far as the host tells it without being resolved. */
export function hostKind(hostname: string): AddressKind {
  if (isAddress(hostname)) return addressKind(hostname);
  if (isLoopbackHost(hostname)) return "loopback";
  return LOCAL_NAME.test(hostname) ? "private" : "public";
}

/** Whether a call may go to an address of this kind. */
export function isReachable(kind: AddressKind, allowPrivate: boolean): boolean {
  return kind === "public" || (allowPrivate && kind !== "forbidden");
}
