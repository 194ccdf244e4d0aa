/**
 * A server on standard streams, for clients under check. It plays nothing itself: it reports to the checker, which listens
 * on the port of the first argument, and does what the checker says.
 */
import { connect } from "node:net";
import { createInterface } from "node:readline";

const socket = connect(Number(process.argv[2]), "127.0.0.1");
/** @param {object} frame */
const report = (frame) => socket.write(`${JSON.stringify(frame)}\n`);

socket.on("error", () => process.exit(1));
socket.on("close", () => process.exit(1));
process.stdout.on("error", () => undefined);

process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => report({ read: text }));
process.stdin.on("end", () => report({ end: true }));
// On a busy machine the end of the input may be waiting when the signal arrives. It is reported first.
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => setTimeout(report, 20, { signal }));

createInterface({ input: socket }).on("line", (line) => {
  const { write, log, exit } = JSON.parse(line);
  if (write !== undefined) process.stdout.write(write);
  if (log !== undefined) process.stderr.write(log);
  if (exit !== undefined) process.stdout.write("", () => process.exit(exit));
});
