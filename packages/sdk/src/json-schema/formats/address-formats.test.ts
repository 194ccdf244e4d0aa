import { expect, test } from "vitest";
import { isIpv6 } from "./address-formats.js";

test("the longest address of IPv6 ends in one of IPv4", () => {
  expect(isIpv6("0000:0000:0000:0000:0000:ffff:255.255.255.255")).toBe(true);
  expect(isIpv6("0000:0000:0000:0000:0000:0ffff:255.255.255.255")).toBe(false);
});
