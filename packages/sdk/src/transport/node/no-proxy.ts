/**
 * The hosts that are called without a proxy: this machine and the entries of `NO_PROXY`. An entry is a host name, an address or
 * a range of addresses, as in curl. As in `undici`, a name covers its subdomains, and a port may follow.
 */
import { BlockList, isIP } from "node:net";

/** A proxy would connect to its own machine. */
const THIS_MACHINE = ["localhost", "127.0.0.0/8", "::1"];
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

interface Entry {
  /** Undefined for every port. */
  readonly port: number | undefined;
  matches(host: string): boolean;
}

export class NoProxy {
  readonly #entries: readonly Entry[];

  constructor(list: string) {
    const texts = [...list.split(/[\s,]+/), ...THIS_MACHINE];
    this.#entries = texts.filter((text) => text !== "").map(parseEntry);
  }

  has({ protocol, hostname, port }: URL): boolean {
    const host = bare(hostname);
    const called = port === "" ? DEFAULT_PORTS[protocol] : Number(port);
    return this.#entries.some((entry) => (entry.port ?? called) === called && entry.matches(host));
  }
}

/** An IPv6 address may stand in brackets, and must if a port follows. */
function parseEntry(text: string): Entry {
  const [, name, digits] = /^([^:]*|\[.*\]):(\d+)$/.exec(text) ?? [text, text];
  const host = bare(String(name));
  const port = digits === undefined ? undefined : Number(digits);
  const range = rangeOf(host);
  if (range) return { port, matches: (called) => isIP(called) !== 0 && range.check(called, familyOf(called)) };
  if (host === "*") return { port, matches: () => true };
  const domain = host.replace(/^(\*?\.)?/, ".");
  return { port, matches: (called) => `.${called}`.endsWith(domain) };
}

/** Without brackets and without the dot that ends a complete host name. */
function bare(host: string): string {
  return host.replace(/^\[|\]$|\.$/g, "").toLowerCase();
}

/** The addresses of an entry such as `10.0.0.1` or `10.0.0.0/8`. Undefined for a host name. */
function rangeOf(host: string): BlockList | undefined {
  const [, address = "", digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(host) ?? [];
  const bits = isIP(address) === 4 ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  if (isIP(address) === 0 || prefix > bits) return undefined;
  const range = new BlockList();
  range.addSubnet(address, prefix, familyOf(address));
  return range;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
