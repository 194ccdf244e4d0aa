/** Contract: several requests at once, in the one revision that has batches. */
import { expect, it } from "vitest";
import { ProtocolError } from "../../errors/protocol-error.js";
import type { Connect } from "./connection.fixture.js";

export function batchContract(connect: Connect): void {
  it("settles each request of a batch on its own, in the order of the calls", async () => {
    await using connection = await connect({
      left: { acceptsBatches: true },
      right: {
        acceptsBatches: true,
        request: ({ method, params }) => {
          if (method === "fails") throw new ProtocolError(-32602, "No");
          return { method, params };
        },
      },
    });
    const settled = await connection.left.requestBatch([
      { method: "a", params: { n: 1 } },
      { method: "fails" },
      { method: "b", options: { signal: AbortSignal.abort() } },
      { method: "c", options: { id: "c" } },
    ]);
    expect(settled).toMatchObject([
      { status: "fulfilled", value: { method: "a", params: { n: 1 } } },
      { status: "rejected", reason: { code: -32602 } },
      { status: "rejected", reason: { code: "request-aborted" } },
      { status: "fulfilled", value: { method: "c" } },
    ]);
  });

  it("sends nothing for no calls", async () => {
    await using connection = await connect({ left: { acceptsBatches: true } });
    expect(await connection.left.requestBatch([])).toEqual([]);
    expect(connection.wire).toEqual([]);
  });

  it("refuses a batch in any other revision, and initialize in any batch", async () => {
    await using without = await connect();
    await expect(without.left.requestBatch([{ method: "a" }])).rejects.toMatchObject({
      code: "method-not-in-revision",
      message: expect.stringContaining("2025-03-26"),
    });
    await using withBatches = await connect({ left: { acceptsBatches: true } });
    const opening = withBatches.left.requestBatch([{ method: "a" }, { method: "initialize" }]);
    await expect(opening).rejects.toMatchObject({ code: "invalid-argument", message: /initialize/ });
    expect([...without.wire, ...withBatches.wire]).toEqual([]);
  });
}
