/**
 * A process of its own for a contender or for the load: what the engine learned about one implementation's code, and
 * the garbage it left, must not slow down the next. `Forked` is the parent's side, `answerParent` the child's.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

type Reply = { readonly value: unknown } | { readonly error: string };

/** On a busy machine a round of a second may take many. */
const PATIENCE_MS = 120_000;

/** Asked for one thing at a time. */
export class Forked implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<Reply>;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    this.#ended = once(child, "exit").then(([code]) => ({ error: `its process ended with ${code}` }));
  }

  /**
   * Resolves with what the child says first: that it is ready.
   * @throws {Error} if its process ends instead.
   */
  static async start<Ready>(name: string, module: URL, args: readonly string[]): Promise<[Forked, Ready]> {
    // One of the clients has Node warn of every single call.
    const execArgv = [...process.execArgv, "--no-warnings"];
    const forked = new Forked(name, fork(fileURLToPath(module), args, { execArgv }));
    return [forked, await forked.#reply<Ready>(PATIENCE_MS)];
  }

  /** @throws {Error} with what the child complains about, or if its process ends or says nothing. */
  async ask<Answer>(question: object, patienceMs: number = PATIENCE_MS): Promise<Answer> {
    const reply = this.#reply<Answer>(patienceMs);
    if (this.#child.connected) this.#child.send(question);
    return reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  async #reply<Answer>(patienceMs: number): Promise<Answer> {
    const signal = AbortSignal.timeout(patienceMs);
    const heard = once(this.#child, "message", { signal }).then(
      ([reply]) => reply as Reply,
      () => this.#giveUp(patienceMs),
    );
    const reply = await Promise.race([heard, this.#ended]);
    if ("error" in reply) throw new Error(`${this.#name}: ${reply.error}`);
    return reply.value as Answer; // Both sides of a process are written together.
  }

  #giveUp(patienceMs: number): Reply {
    this.#child.kill("SIGKILL");
    return { error: `said nothing for ${patienceMs / 1_000} s` };
  }
}

/** Starts all at once. @throws what the first that fails says, once the others are stopped. */
export async function startAll<Item, Running extends AsyncDisposable>(
  items: readonly Item[],
  start: (item: Item) => Promise<Running>,
): Promise<Running[]> {
  const outcomes = await Promise.allSettled(items.map(start));
  const running = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") continue;
    await stopAll(running);
    throw outcome.reason;
  }
  return running;
}

export async function stopAll(running: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(running.map((each) => each[Symbol.asyncDispose]()));
}

/** Says that this process is ready, then answers until the parent is gone. */
export function answerParent<Question>(ready: unknown, answer: (question: Question) => unknown): void {
  const reply = (content: Reply) => process.send?.(content);
  process.on("message", async (question: Question) => {
    try {
      reply({ value: await answer(question) });
    } catch (error) {
      reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.once("disconnect", () => process.exit(0));
  reply({ value: ready });
}
