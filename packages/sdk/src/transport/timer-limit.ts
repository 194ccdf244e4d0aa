/** Timers wrap around beyond 31 bits and would fire at once; 24 days are as good as any longer wait. */
export function timerMs(ms: number): number {
  return Math.min(ms, 0x7fff_ffff);
}
