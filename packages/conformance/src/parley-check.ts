/** The program that `bin/parley-check.js` loads. */
import { runCommand } from "./cli/command.js";

process.exitCode = await runCommand({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
});
