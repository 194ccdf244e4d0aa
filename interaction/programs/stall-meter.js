/**
 * Tells for how long the event loop stood still at most. Time that the processor spent elsewhere does not count, as far
 * as that can be told: a stall is the lesser of the time that went by and the time this process was running.
 */
let longestMs = 0;
let last = { wall: performance.now(), cpu: process.cpuUsage() };

function turn() {
  const { user, system } = process.cpuUsage(last.cpu);
  longestMs = Math.max(longestMs, Math.min(performance.now() - last.wall, (user + system) / 1_000));
  last = { wall: performance.now(), cpu: process.cpuUsage() };
  setImmediate(turn);
}

/** From now on. */
export function startMeter() {
  turn();
}

/** The longest since it was last asked for. */
export function takeLongestMs() {
  const taken = longestMs;
  longestMs = 0;
  return taken;
}

const YARDSTICK = `[${Array.from({ length: 93_000 }, (_, n) => `{"a${n}":${n}}`).join(",")}]`;
/** How long reading the yardstick took on the machine that the limits were set on, when that was idle. */
const YARDSTICK_MS = 60;

/** How many times slower than that this machine is now, a busy one being slower than an idle one; 1 at least. */
export function slowness() {
  const before = process.cpuUsage();
  JSON.parse(YARDSTICK);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (user + system) / 1_000 / YARDSTICK_MS);
}
