/** Says once per run who judges the wire. */
import { availableJudges } from "./judge/wire-judge.js";

export function setup(): void {
  const names = availableJudges().map(({ name }) => name);
  process.stdout.write(`The wire is judged by ${names.join(" and ")}.\n`);
}
