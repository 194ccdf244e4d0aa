import { expect, test } from "vitest";
import { clientAddress, networksOf, siteOf } from "./client-address.js";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::6", "2001:db8:0:0"],
  ["2001::3:4:5:6:7:8", "2001:0:3:4"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["aa:bb:cc:dd:ee:ff", "aa:bb:cc:dd:ee:ff"],
  ["::1::2", "0:0:0:0"],
  ["tenant%7", "tenant%7"],
  [undefined, undefined],
])("%s counts as %s", (remote, counted) => {
  expect(clientAddress(remote)).toBe(counted);
});

test.each([
  ["192.0.2.1", ["192.0.2", "192.0.2.1", "192.0.2.1"], "192.0.2"],
  ["2001:db8:1:2:3:4:5:6", ["2001:db8", "2001:db8:1", "2001:db8:1:2"], "2001:db8:1"],
  ["2001:db8:1:2", ["2001:db8", "2001:db8:1", "2001:db8:1:2"], "2001:db8:1"],
  ["tenant.7", ["tenant.7", "tenant.7", "tenant.7"], "tenant.7"],
  ["", ["", "", ""], ""],
])("%s lies in %j, of the site %s", (remote, networks, site) => {
  expect(networksOf(remote)).toEqual(networks);
  expect(siteOf(remote)).toBe(site);
});
