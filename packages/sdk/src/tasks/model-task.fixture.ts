/** One task of the model: the steps of its work, and every record of it that was read. */
import { expect } from "vitest";
import { ProtocolError } from "../errors/protocol-error.js";
import type { JsonObject } from "../runtime/json.js";
import { expiresAt, inputRequestsOf, isTerminal, type TaskRecord } from "./task-record.js";
import type { TaskRun, TaskWork } from "./task-work.js";

/** The process that an engine runs in. */
export interface ModelProcess {
  isKilled: boolean;
}

/** One run of the work, in one process. */
interface ModelRun {
  readonly run: TaskRun;
  readonly answers: Map<string, JsonObject>;
  /** The last question under each key. */
  readonly asks: Map<string, AbortController>;
  /** Keys whose last question was withdrawn. */
  readonly withdrawn: Set<string>;
  hasSettled: boolean;
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

export class ModelTask {
  readonly index: number;
  readonly principal: string;
  taskId: string | undefined;
  readonly #mayRerun: boolean;
  /** The questions and effects of the work so far. A further run repeats them. */
  readonly #asked = new Set<string>();
  readonly #done = new Set<string>();
  /** Answers that callers or works have seen. */
  readonly #answers = new Map<string, JsonObject>();
  readonly #effects = new Map<string, number>();
  #runs: ModelRun[] = [];
  #effectRuns = 0;
  #messages = 0;
  #latest: TaskRecord | undefined;

  constructor(index: number, principal: string, mayRerun: boolean) {
    this.index = index;
    this.principal = principal;
    this.#mayRerun = mayRerun;
  }

  /** The work in one process. A process that was killed begins no work any more. */
  workIn(process: ModelProcess): TaskWork {
    return (run) =>
      new Promise((resolve, reject) => {
        if (process.isKilled) return;
        expect(this.#runs.length === 0 || this.#mayRerun).toBe(true);
        const asked = { answers: new Map(), asks: new Map(), withdrawn: new Set<string>() };
        this.#runs.push({ run, ...asked, hasSettled: false, resolve, reject });
        for (const key of this.#asked) this.#runAsk(key);
        for (const key of this.#done) this.#runOnce(key);
      });
  }

  ask(key: string): void {
    this.#asked.add(key);
    this.#runAsk(key);
  }

  /** Withdraws a question. The work may ask it again, and a further run does. */
  withdraw(key: string): void {
    this.#run?.asks.get(key)?.abort(new Error("changed my mind"));
  }

  once(key: string): void {
    this.#done.add(key);
    this.#runOnce(key);
  }

  status(): void {
    this.#run?.run.status(`message ${this.#messages++}`);
  }

  complete(): void {
    if (this.#run === undefined) return;
    this.#run.hasSettled = true;
    this.#run.resolve({ task: this.index });
  }

  fail(): void {
    if (this.#run === undefined) return;
    this.#run.hasSettled = true;
    this.#run.reject(new ProtocolError(-32_000, "No"));
  }

  /** Ends the runs of all processes: works that ignored their signals settle at last. */
  release(): void {
    for (const { resolve } of this.#runs) resolve({ late: true });
  }

  /** A later process must not undo a state that a caller has read. */
  processEnded(): void {
    for (const { resolve } of this.#runs.splice(0)) resolve({ late: true });
  }

  /** Holds a record against all that was seen before. */
  observe(record: TaskRecord): void {
    this.taskId ??= record.taskId;
    const before = this.#latest;
    expect(record.status === "input_required").toBe(Object.keys(inputRequestsOf(record)).length > 0);
    expect(record.result?.late).toBeUndefined();
    for (const [key, { response }] of Object.entries(record.questions)) if (response) this.#noteAnswer(key, response);
    if (before === undefined || record.version > before.version) {
      if (before !== undefined) {
        expect(isTerminal(before)).toBe(false);
        expect(record.lastUpdatedAt).toBeGreaterThanOrEqual(before.lastUpdatedAt);
      }
      this.#latest = record;
    } else if (record.version === before.version) expect(record).toEqual(before);
  }

  /** The task must have expired, or never was confirmed. */
  expectGone(): void {
    if (this.#latest !== undefined) expect(expiresAt(this.#latest)).toBeLessThanOrEqual(Date.now());
  }

  /** `stored` is the record when nothing is under way; undefined if it is gone. */
  checkRun(stored: TaskRecord | undefined): void {
    if (stored) expect(expiresAt(stored)).toBeGreaterThan(Date.now());
    // Nothing that was seen is taken back.
    if (stored && this.#latest) expect(stored.version).toBe(this.#latest.version);
    const current = this.#run;
    if (current === undefined || current.hasSettled) return;
    if (stored === undefined || isTerminal(stored)) {
      expect(current.run.signal.aborted).toBe(true);
      return;
    }
    expect(current.run.signal.aborted).toBe(false);
    const asked = [...this.#asked].filter((key) => !current.withdrawn.has(key));
    for (const key of asked) expect(current.answers.get(key)).toEqual(stored.questions[key]?.response);
    for (const key of asked) expect(stored.questions).toHaveProperty(key);
    const open = Object.keys(inputRequestsOf(stored));
    expect(open.filter((key) => !asked.includes(key))).toEqual([]);
    for (const key of this.#done) expect(stored.once[key]).toEqual({ value: this.#effects.get(key) });
  }

  /** Works were told to complete, so no task may be left unfinished. */
  checkFinished(): void {
    if (this.#latest === undefined || expiresAt(this.#latest) <= Date.now()) return;
    expect(isTerminal(this.#latest)).toBe(true);
  }

  get #run(): ModelRun | undefined {
    return this.#runs.at(-1);
  }

  #runAsk(key: string): void {
    const current = this.#run;
    if (current === undefined) return;
    const controller = new AbortController();
    current.asks.set(key, controller);
    current.withdrawn.delete(key);
    current.run.ask(key, { key }, { signal: controller.signal }).then(
      (answer) => {
        current.answers.set(key, answer);
        this.#noteAnswer(key, answer);
      },
      () => {
        // A question shares the withdrawal of an earlier one that was not stored yet. Or the run has ended.
        if (current.asks.get(key) === controller) current.withdrawn.add(key);
      },
    );
  }

  #runOnce(key: string): void {
    const effect = () => {
      this.#effectRuns += 1;
      return this.#effectRuns;
    };
    this.#run?.run.once(key, effect).then(
      (value) => this.#noteEffect(key, value),
      // The run has ended.
      () => undefined,
    );
  }

  /** An answer is the same for every reader. */
  #noteAnswer(key: string, answer: JsonObject): void {
    expect(answer).toEqual(this.#answers.get(key) ?? answer);
    this.#answers.set(key, answer);
  }

  /** An effect whose result was returned never runs again. */
  #noteEffect(key: string, value: number): void {
    expect(value).toBe(this.#effects.get(key) ?? value);
    this.#effects.set(key, value);
  }
}
