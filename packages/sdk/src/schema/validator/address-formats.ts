/** Names and numbers of hosts, and mail addresses. */

const maxHostnameLength = 253;
const maxEmailLength = 320;
const maxIpv6Length = 45;
const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i;
const decimalOctet = /^(?:0|[1-9]\d{0,2})$/;
const ipv6Group = /^[\da-f]{1,4}$/i;
const dotAtom = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const quotedText = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
const ipv6Literal = /^\[IPv6:(.*)\]$/i;
const ipv4Literal = /^\[(.*)\]$/;

export function isHostname(text: string): boolean {
  return text.length <= maxHostnameLength && text.split(".").every((part) => label.test(part));
}

export function isIpv4(text: string): boolean {
  const octets = text.split(".", 5);
  return octets.length === 4 && octets.every((octet) => decimalOctet.test(octet) && Number(octet) <= 255);
}

export function isIpv6(text: string): boolean {
  if (text.length > maxIpv6Length) return false;
  const halves = text.split("::");
  const [head = "", tail] = halves;
  if (halves.length > 2) return false;
  if (tail === undefined) return groupsIn(head, true) === 8;
  // What `::` stands for is at least one group.
  return groupsIn(head, false) + groupsIn(tail, true) <= 7;
}

export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const mailbox = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > maxEmailLength || !(dotAtom.test(mailbox) || quotedText.test(mailbox))) return false;
  const ipv6 = ipv6Literal.exec(domain)?.[1];
  if (ipv6 !== undefined) return isIpv6(ipv6);
  const ipv4 = ipv4Literal.exec(domain)?.[1];
  return ipv4 === undefined ? isHostname(domain) : isIpv4(ipv4);
}

/** How many groups of an IPv6 address there are; too many where one is malformed. */
function groupsIn(text: string, mayEndInIpv4: boolean): number {
  if (text === "") return 0;
  const groups = text.split(":");
  const endsInIpv4 = mayEndInIpv4 && isIpv4(text.slice(text.lastIndexOf(":") + 1));
  if (endsInIpv4) groups.pop();
  if (!groups.every((group) => ipv6Group.test(group))) return Number.POSITIVE_INFINITY;
  return groups.length + (endsInIpv4 ? 2 : 0);
}
