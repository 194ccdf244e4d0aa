/** Host names, IP addresses and email addresses. */

const MAX_HOSTNAME_LENGTH = 253;
const MAX_EMAIL_LENGTH = 320;
const MAX_IPV6_LENGTH = 45;
const HOST_LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const DECIMAL_OCTET = /^(?:0|[1-9]\d{0,2})$/;
const IPV6_GROUP = /^[\da-f]{1,4}$/i;
const DOT_ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const QUOTED_TEXT = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
const IPV6_LITERAL = /^\[IPv6:(.*)\]$/i;
const IPV4_LITERAL = /^\[(.*)\]$/;

export function isHostname(text: string): boolean {
  return text.length <= MAX_HOSTNAME_LENGTH && text.split(".").every((part) => HOST_LABEL.test(part));
}

export function isIpv4(text: string): boolean {
  const octets = text.split(".", 5);
  return octets.length === 4 && octets.every((octet) => DECIMAL_OCTET.test(octet) && Number(octet) <= 255);
}

export function isIpv6(text: string): boolean {
  if (text.length > MAX_IPV6_LENGTH) return false;
  const halves = text.split("::");
  const [head = "", tail] = halves;
  if (halves.length > 2) return false;
  if (tail === undefined) return groupsIn(head, true) === 8;
  // `::` stands for at least one group.
  return groupsIn(head, false) + groupsIn(tail, true) <= 7;
}

export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const mailbox = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > MAX_EMAIL_LENGTH || !(DOT_ATOM.test(mailbox) || QUOTED_TEXT.test(mailbox))) return false;
  const ipv6 = IPV6_LITERAL.exec(domain)?.[1];
  if (ipv6 !== undefined) return isIpv6(ipv6);
  const ipv4 = IPV4_LITERAL.exec(domain)?.[1];
  return ipv4 === undefined ? isHostname(domain) : isIpv4(ipv4);
}

/** The number of groups of an IPv6 address; `Infinity` if one is malformed. */
function groupsIn(text: string, mayEndInIpv4: boolean): number {
  if (text === "") return 0;
  const groups = text.split(":");
  const endsInIpv4 = mayEndInIpv4 && isIpv4(text.slice(text.lastIndexOf(":") + 1));
  if (endsInIpv4) groups.pop();
  if (!groups.every((group) => IPV6_GROUP.test(group))) return Number.POSITIVE_INFINITY;
  return groups.length + (endsInIpv4 ? 2 : 0);
}
