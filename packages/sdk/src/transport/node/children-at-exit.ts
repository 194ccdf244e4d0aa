/** Child processes do not outlive this one: what is still running when it exits is told to stop. */
import type { ChildProcess } from "node:child_process";

const running = new Set<ChildProcess>();

export function stopAtExit(child: ChildProcess): void {
  if (running.size === 0) process.on("exit", stopAll);
  running.add(child);
}

export function hasExited(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", stopAll);
}

function stopAll(): void {
  for (const child of running) child.kill();
}
