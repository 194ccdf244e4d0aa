/** Who pays for the bytes of a connection: the principal of its latest request, or the address of an anonymous client. */
import type { Socket } from "node:net";
import { clientAddress } from "../http/client-address.js";

const PRINCIPAL: unique symbol = Symbol("principal");

type ClaimedSocket = Socket & { [PRINCIPAL]?: string | undefined };

export function setPrincipal(socket: ClaimedSocket, principal: string | undefined): void {
  socket[PRINCIPAL] = principal;
}

/** A principal and an address never look the same. Sockets without either, such as those of a path, share one payer. */
export function payerOf(socket: ClaimedSocket): string {
  const principal = socket[PRINCIPAL];
  return principal === undefined ? `address ${clientAddress(socket.remoteAddress)}` : `principal ${principal}`;
}
