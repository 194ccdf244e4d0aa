/** A hostile program on standard output: notifications without end, and a line that never ends. It ends with its client. */
const FILLING = "n".repeat(64 * 1_024);
const noise = `${JSON.stringify({ jsonrpc: "2.0", method: "acme/noise", params: { text: FILLING } })}\n`;
const isEndless = process.argv[2] === "line";

if (isEndless) process.stdout.write('{"jsonrpc":"2.0","method":"');
setInterval(() => {
  if (!process.stdout.writableNeedDrain) process.stdout.write(isEndless ? FILLING : noise);
}, 20);
process.stdin.resume().on("end", () => process.exit());
process.stdout.on("error", () => process.exit());
