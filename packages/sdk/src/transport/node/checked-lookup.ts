/**
 * Resolver for sockets that checks every address of a name. The socket connects to one of the checked addresses without
 * resolving the name again. So the address cannot change between the check and the connection.
 */
import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { AddressCheck } from "../platform/platform.js";

/** Fails with the first error of `check`. One refused address refuses the whole name. */
export function checkedLookup(check: AddressCheck, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const failure = error ?? firstRefusal(check, hostname, addresses);
      if (failure) callback(failure, []);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address as string, addresses[0]?.family);
    });
  };
}

function firstRefusal(
  check: AddressCheck,
  hostname: string,
  addresses: readonly { readonly address: string }[],
): Error | undefined {
  for (const { address } of addresses) {
    const refusal = check(hostname, address);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
