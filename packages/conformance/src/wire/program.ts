/**
 * Programs that the checker starts, each in a process group of its own. Launchers such as npx and sh start the real program, which
 * would outlive them and keep their pipes open.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

/** Windows has no process groups. */
const HAS_GROUPS = process.platform !== "win32";

const running = new Set<ChildProcessWithoutNullStreams>();

/** Its pipes are open. A program that cannot be started emits `error`. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { env, detached: HAS_GROUPS, stdio: ["pipe", "pipe", "pipe"] });
  remember(child);
  child.once("close", () => forget(child));
  child.stdin.on("error", () => undefined);
  return child;
}

/** Kills a program and everything in its group. Its pipes close even if somebody outside the group holds them. */
export function killProgram(child: ChildProcessWithoutNullStreams): void {
  killGroup(child);
  closePipes(child);
}

/** Closes the pipes of a program at this end. A program that has exited emits `close` then, whoever holds the other ends. */
export function closePipes({ stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
  for (const pipe of [stdin, stdout, stderr]) pipe.destroy();
}

/** Kills what a program has left in its group, after a while and at the end of the checker at the latest. */
export function killLeftovers(child: ChildProcessWithoutNullStreams, delayMs: number): void {
  remember(child);
  const kill = () => {
    killGroup(child);
    forget(child);
  };
  setTimeout(kill, delayMs).unref();
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  // The `kill` of a program that could not be started ends the group of the checker itself: Node.js has process 0 for it.
  if (child.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // Everything in the group has exited.
  }
}

function remember(child: ChildProcessWithoutNullStreams): void {
  if (running.size === 0) process.once("exit", killRunning);
  running.add(child);
}

function forget(child: ChildProcessWithoutNullStreams): void {
  running.delete(child);
  if (running.size === 0) process.off("exit", killRunning);
}

function killRunning(): void {
  for (const child of running) killGroup(child);
}
