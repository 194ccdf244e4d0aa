/** The program that `bin/parley-check.js` loads. */
import { runCommand } from "./cli/command.js";

// A reader such as head has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

// Programs under check are in process groups of their own, which end with this process.
for (const [signal, number] of Object.entries(SIGNAL_NUMBERS)) process.once(signal, () => process.exit(128 + number));

process.exitCode = await runCommand({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
});
