/**
 * Classifies IP addresses by the special-purpose registries of IANA. An IPv6 address that embeds an IPv4 address (IPv4-mapped,
 * NAT64, 6to4) has the kind of the embedded one.
 */

/**
 * `forbidden`: addresses that are never called. These are link-local addresses, where clouds serve credentials to their
 * machines, and multicast, documentation, reserved and malformed addresses.
 */
export type AddressKind = "public" | "loopback" | "private" | "forbidden";

type Range = readonly [prefix: string, bits: number, kind: AddressKind];

/** The first range that matches decides. An IPv4 address in no range is public. */
const IPV4_RANGES: readonly Range[] = [
  // Metadata servers of Alibaba Cloud, Azure and Oracle Cloud, which are outside of the link-local range.
  ["100.100.100.200", 32, "forbidden"],
  ["168.63.129.16", 32, "forbidden"],
  ["192.0.0.192", 32, "forbidden"],
  ["0.0.0.0", 8, "forbidden"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "private"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "forbidden"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "forbidden"],
  ["192.0.2.0", 24, "forbidden"],
  ["192.88.99.0", 24, "forbidden"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "forbidden"],
  ["198.51.100.0", 24, "forbidden"],
  ["203.0.113.0", 24, "forbidden"],
  ["224.0.0.0", 3, "forbidden"],
];

/** The first range that matches decides. An IPv6 address in no range is forbidden. */
const IPV6_RANGES: readonly Range[] = [
  ["::1", 128, "loopback"],
  // The metadata server of Amazon's cloud.
  ["fd00:ec2::254", 128, "forbidden"],
  ["fc00::", 7, "private"],
  ["fec0::", 10, "private"],
  // Teredo, ORCHID and other IETF protocol assignments.
  ["2001::", 23, "forbidden"],
  ["2001:db8::", 32, "forbidden"],
  ["3fff::", 20, "forbidden"],
  ["2000::", 3, "public"],
];

/** Ranges that hold an IPv4 address, with the group where the address starts. */
const EMBEDDED_IPV4: readonly (readonly [prefix: string, bits: number, group: number])[] = [
  ["::ffff:0:0", 96, 6],
  ["::ffff:0:0:0", 96, 6],
  ["64:ff9b::", 96, 6],
  ["2002::", 16, 1],
];

/** The kind of an address as a resolver or a URL writes it, with or without brackets and zone. */
export function addressKind(address: string): AddressKind {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const bytes = ipv4Bytes(bare);
  if (bytes !== undefined) return ipv4Kind(bytes);
  const groups = ipv6Groups(bare);
  return groups === undefined ? "forbidden" : ipv6Kind(groups);
}

/** Whether a host of a URL is an address and no name. */
export function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || ipv4Bytes(hostname) !== undefined;
}

function ipv4Kind(bytes: readonly number[]): AddressKind {
  const range = IPV4_RANGES.find(([prefix, bits]) => isWithin(bytes, prefix.split(".").map(Number), bits, 8));
  return range?.[2] ?? "public";
}

function ipv6Kind(groups: readonly number[]): AddressKind {
  const embedded = EMBEDDED_IPV4.find(([prefix, bits]) => isWithin(groups, groupsOf(prefix), bits, 16));
  if (embedded !== undefined) {
    const start = embedded[2];
    return ipv4Kind(groups.slice(start, start + 2).flatMap((group) => [group >> 8, group & 0xff]));
  }
  const range = IPV6_RANGES.find(([prefix, bits]) => isWithin(groups, groupsOf(prefix), bits, 16));
  return range?.[2] ?? "forbidden";
}

/** Whether the first bits of two lists of numbers, each of `width` bits, are the same. */
function isWithin(address: readonly number[], prefix: readonly number[], bits: number, width: number): boolean {
  return address.every((part, index) => {
    const ignored = width - Math.min(Math.max(bits - index * width, 0), width);
    // Both have the same length.
    return part >> ignored === (prefix[index] as number) >> ignored;
  });
}

function ipv4Bytes(text: string): number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** The groups of an IPv6 address. Undefined for any other text. */
function ipv6Groups(text: string): number[] | undefined {
  return URL.canParse(`http://[${text}]/`) ? groupsOf(text) : undefined;
}

/** The eight groups of an IPv6 address. The URL parser normalizes the address to hexadecimal groups. */
function groupsOf(text: string): number[] {
  const halves = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::");
  const [head = [], tail = []] = halves.map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
