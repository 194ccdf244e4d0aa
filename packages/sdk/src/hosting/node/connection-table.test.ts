import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { type ConnectionLimits, ConnectionTable } from "./connection-table.js";

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string | undefined;
  isIdle = false;
  destroy = vi.fn();

  constructor(remoteAddress?: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
}

function open(limits: ConnectionLimits) {
  // The table looks at nothing else of a socket.
  const table = new ConnectionTable(limits, 1_000, (socket) => (socket as unknown as FakeSocket).isIdle);
  const admit = (address?: string) => {
    const socket = new FakeSocket(address);
    return { socket, refusal: table.admit(socket as unknown as Socket) };
  };
  return { admit };
}

describe("per address", () => {
  it.each([
    ["192.0.2.1", "::ffff:192.0.2.1"],
    ["2001:db8::1", "2001:db8::2"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["fe80::1%eth0", "fe80::2%eth1"],
    ["::2", "::3"],
  ])("%s and %s are one", (one, other) => {
    const { admit } = open({ maxConnectionsPerAddress: 1 });
    expect(admit(one).refusal).toBeUndefined();
    expect(admit(other).refusal).toBe("per-address");
  });

  it("a quarter of all is the limit by default, and a place is free again when a connection closes", () => {
    const { admit } = open({ maxConnections: 7 });
    const [first] = [admit("192.0.2.1"), admit("192.0.2.1")];
    expect(admit("192.0.2.1").refusal).toBe("per-address");
    expect(admit("192.0.2.2").refusal).toBeUndefined();
    first?.socket.emit("close");
    expect(admit("192.0.2.1").refusal).toBeUndefined();
  });

  it.each([
    ["127.0.0.1", undefined],
    ["::ffff:127.3.2.1", undefined],
    ["::1", undefined],
    [undefined, undefined],
    ["10.1.2.3", ["10.0.0.0/8"]],
    ["2001:db8::9", ["192.0.2.1", "2001:db8::/32"]],
  ])("%s is not limited where %s are shared", (address, sharedAddresses) => {
    const { admit } = open({ maxConnectionsPerAddress: 1, sharedAddresses });
    for (let count = 0; count < 3; count += 1) expect(admit(address).refusal).toBeUndefined();
  });

  it("an idle connection of the same address makes room", () => {
    const { admit } = open({ maxConnectionsPerAddress: 2 });
    const [busy, idle, other] = [admit("192.0.2.1"), admit("192.0.2.1"), admit("192.0.2.2")];
    idle.socket.isIdle = true;
    other.socket.isIdle = true;
    expect(admit("192.0.2.1").refusal).toBeUndefined();
    expect(idle.socket.destroy).toHaveBeenCalledOnce();
    idle.socket.emit("close");
    for (const { socket } of [busy, other]) expect(socket.destroy).not.toHaveBeenCalled();
    expect(admit("192.0.2.1").refusal).toBe("per-address");
  });
});

describe("in total", () => {
  it("the idle connection of the address with the most makes room", () => {
    const { admit } = open({ maxConnections: 5, maxConnectionsPerAddress: 4 });
    const local = admit();
    const polite = admit("192.0.2.1");
    const greedy = [1, 2, 3].map(() => admit("192.0.2.2"));
    for (const { socket } of [local, polite, ...greedy]) socket.isIdle = true;
    expect(admit("192.0.2.3").refusal).toBeUndefined();
    expect(greedy.map(({ socket }) => socket.destroy.mock.calls.length)).toEqual([1, 0, 0]);
    for (const { socket } of [local, polite]) expect(socket.destroy).not.toHaveBeenCalled();
  });

  it("an idle one is found behind many that are busy, after a few refusals", () => {
    const { admit } = open({ maxConnections: 601 });
    for (let count = 0; count < 600; count += 1) admit();
    const { socket } = admit();
    socket.isIdle = true;
    expect([admit(), admit(), admit()].map(({ refusal }) => refusal)).toEqual(["total", "total", undefined]);
    expect(socket.destroy).toHaveBeenCalledOnce();
    expect(admit().refusal).toBe("total");
  });
});

it.each([
  { maxConnections: 0 },
  { maxConnections: Number.NaN },
  { maxConnectionsPerAddress: 0 },
  { sharedAddresses: ["example.com"] },
  { sharedAddresses: ["10.0.0.0/33"] },
  { sharedAddresses: ["10.0.0.0/-1"] },
  { sharedAddresses: ["::1/x"] },
])("refuses %j", (limits) => {
  expect(() => open(limits)).toThrow(expect.objectContaining({ code: "invalid-argument" }));
});
