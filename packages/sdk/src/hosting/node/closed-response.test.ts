import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { onClosed } from "./closed-response.js";

const PIPELINED = 12;

/** Requests that were sent over one connection without waiting for answers, and what was heard of their ends. */
async function pipelined() {
  const responses: ServerResponse[] = [];
  const closed: number[] = [];
  const server = createServer((_, response) => {
    responses.push(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined);
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(PIPELINED));
  while (responses.length < PIPELINED) await once(server, "request");
  const stops = responses.map((response, index) => onClosed(response, () => closed.push(index)));
  const drop = async () => {
    // What was not read resets the connection, and that is an error, which is beside the point.
    const lost = new Promise((resolve) => responses[0]?.req.socket.once("close", resolve));
    client.destroy();
    await lost;
    server.close();
    await once(server, "close");
  };
  return { responses, closed, stops, drop };
}

const all = Array.from({ length: PIPELINED }, (_, index) => index);

it("tells of every response on a connection that was lost, also of those that wait behind another", async () => {
  const warnings: unknown[] = [];
  const onWarning = (warning: unknown) => warnings.push(warning);
  process.on("warning", onWarning);
  const { closed, drop } = await pipelined();
  await drop();
  expect(closed.sort((a, b) => a - b)).toEqual(all);
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

it("tells once of a response that waited and was then sent", async () => {
  const { responses, closed, drop } = await pipelined();
  const [first, second] = responses;
  first?.end();
  second?.end();
  await once(second as ServerResponse, "close");
  expect(closed).toEqual([0, 1]);
  await drop();
  expect(closed.sort((a, b) => a - b)).toEqual(all);
});

it("tells nothing any more once it is stopped", async () => {
  const { closed, stops, drop } = await pipelined();
  stops[0]?.();
  stops[2]?.();
  await drop();
  expect(closed.sort((a, b) => a - b)).toEqual(all.filter((index) => index !== 0 && index !== 2));
});
