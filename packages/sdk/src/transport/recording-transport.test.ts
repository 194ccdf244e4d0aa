import { expect, it, vi } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { recordTransport } from "./recording-transport.js";
import type { Transport, TransportReceiver } from "./transport.js";

it("passes on which requests an unreadable message answers, and what delays a response", async () => {
  let inner!: TransportReceiver;
  const delayCause = new Error("connection lost");
  const transport: Transport = {
    start: (receiver) => {
      inner = receiver;
    },
    send: () => undefined,
    delayCause: (id) => (id === 7 ? delayCause : undefined),
    close: () => undefined,
  };
  const recorded = recordTransport(transport, () => undefined);
  const receiveUnparsable = vi.fn();
  await recorded.start({ receive: () => undefined, receiveUnparsable, closed: () => undefined });
  const error = new SdkError("too-large", "the line is too long");
  inner.receiveUnparsable(error, 7);

  expect(receiveUnparsable).toHaveBeenCalledWith(error, 7);
  expect(recorded.delayCause?.(7)).toBe(delayCause);
});
