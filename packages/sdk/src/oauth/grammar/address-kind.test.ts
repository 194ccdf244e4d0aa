import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressKind, addressKind, isAddress } from "./address-kind.js";

describe("the kind of an address", () => {
  const kinds: Readonly<Record<AddressKind, readonly string[]>> = {
    public: ["1.1.1.1", "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "2606:4700::1111", "2001:4860::1"],
    loopback: ["127.0.0.1", "127.255.255.255", "::1", "[::1]", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"],
    private: [
      ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255"],
      ...["fc00::1", "fd12:3456::1", "fec0::1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:c0a8:101::1"],
    ],
    forbidden: [
      ...["0.0.0.0", "0.1.2.3", "169.254.169.254", "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1"],
      ...["203.0.113.1", "192.88.99.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
      ...["100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "[fe80::1%25eth0]"],
      ...["::", "::7f00:1", "ff02::1", "2001::1", "2001:db8::1", "3fff::1", "64:ff9b:1::1", "100::1", "4000::1"],
      ...["::ffff:169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::"],
      ...["", "localhost", "256.1.1.1", "1.2.3", "::g", "1::2::3", "a]b", "1.1.1.1:80"],
    ],
  };

  test.each(Object.entries(kinds).flatMap(([kind, addresses]) => addresses.map((address) => [address, kind])))(
    "of %s is %s",
    (address, kind) => {
      expect(addressKind(address)).toBe(kind);
    },
  );

  test.each([
    ["http://2130706433/", "loopback"],
    ["http://0x7f000001/", "loopback"],
    ["http://0177.0.0.1/", "loopback"],
    ["http://127.1/", "loopback"],
    ["http://0xa9fea9fe/", "forbidden"],
    ["http://[::ffff:a9fe:a9fe]/", "forbidden"],
    ["http://①②⑦.0.0.1/", "loopback"],
  ])("of the host of %s is %s", (url, kind) => {
    const { hostname } = new URL(url);
    expect(isAddress(hostname)).toBe(true);
    expect(addressKind(hostname)).toBe(kind);
  });

  test("is the same for an IPv4 address and all that stand for it", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const bytes = address.split(".").map(Number);
        const [a, b, c, d] = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
        for (const wrapped of [
          `::ffff:${address}`,
          `::ffff:${a}${b}:${c}${d}`,
          `64:ff9b::${address}`,
          `2002:${a}${b}:${c}${d}::1`,
        ]) {
          expect(addressKind(wrapped)).toBe(addressKind(address));
        }
      }),
    );
  });

  test("is the same however an IPv6 address is written, and public only for global unicast", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const kind = addressKind(address);
        const { hostname } = new URL(`http://[${address}]/`);
        expect(addressKind(hostname)).toBe(kind);
        expect(addressKind(`${address}%1`)).toBe(kind);
        const isEmbedded = /^\[::ffff:|^\[64:ff9b::/.test(hostname);
        if (kind === "public" && !isEmbedded) expect(hostname).toMatch(/^\[[23]/);
      }),
    );
  });
});

test("names are no addresses", () => {
  for (const name of ["localhost", "example.com", "1.2.3.4.example", "1.2.3"]) expect(isAddress(name)).toBe(false);
});
