/** A server's program: lines to its standard input, lines from its standard output, bounded in length and number. */
import { killProgram, startProgram } from "./program.js";

export interface LinePipeHandlers {
  readonly onLine: (line: string) => void;
  /** A line was too long to be kept. */
  readonly onLongLine?: () => void;
  /** Called once. The text says how the program ended. */
  readonly onEnd: (how: string) => void;
}

/** A pipe of lines to one run of a server. */
export interface LinePipe {
  write(text: string): void;
  /** Ends the server's input. */
  endInput(): void;
  kill(): void;
}

export type OpenPipe = (handlers: LinePipeHandlers) => LinePipe;

/** A longer line is dropped. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

/** Past this, a program that floods its output is killed. */
const MAX_OUTPUT_CHARACTERS = 64 * 1024 * 1024;

const MAX_KEPT_STDERR = 2000;

export function lineProcess(command: string, args: readonly string[], env: NodeJS.ProcessEnv): OpenPipe {
  return ({ onLine, onLongLine = () => undefined, onEnd }) => {
    const child = startProgram(command, args, env);
    let stderr = "";
    let isOver = false;
    const end = (how: string) => {
      if (isOver) return;
      isOver = true;
      onEnd(stderr === "" ? how : `${how}; its last words on standard error: ${stderr.trim()}`);
    };
    child.on("error", (error) => end(`the program could not be started: ${error.message}`));
    child.on("close", (code, signal) => end(`the program exited with ${code ?? signal}`));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_KEPT_STDERR);
    });
    const splitter = new LineSplitter(onLine, onLongLine, () => killProgram(child));
    child.stdout.setEncoding("utf8").on("data", (text: string) => splitter.push(text));
    return {
      write: (text) => void child.stdin.write(text),
      endInput: () => void child.stdin.end(),
      kill: () => killProgram(child),
    };
  };
}

/** Cuts text into lines, in time that grows with the text. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #onLongLine: () => void;
  readonly #onFlood: () => void;
  #rest = "";
  #total = 0;
  /** The rest of a long line is still to come. */
  #isDropping = false;

  constructor(onLine: (line: string) => void, onLongLine: () => void, onFlood: () => void) {
    this.#onLine = onLine;
    this.#onLongLine = onLongLine;
    this.#onFlood = onFlood;
  }

  push(text: string): void {
    this.#total += text.length;
    if (this.#total > MAX_OUTPUT_CHARACTERS) {
      this.#onFlood();
      return;
    }
    const [first = "", ...others] = text.split("\n");
    this.#rest += first;
    for (const next of others) {
      this.#end(this.#rest);
      this.#rest = next;
    }
    if (this.#rest.length <= MAX_LINE_CHARACTERS) return;
    this.#rest = "";
    this.#isDropping = true;
  }

  /** Text whose line has not ended. */
  get rest(): string {
    return this.#rest;
  }

  #end(line: string): void {
    const isLong = this.#isDropping || line.length > MAX_LINE_CHARACTERS;
    this.#isDropping = false;
    if (isLong) this.#onLongLine();
    else this.#onLine(line);
  }
}
