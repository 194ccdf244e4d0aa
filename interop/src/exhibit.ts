/** What a server has to show for each feature. Servers written for this matrix all show the same; others differ. */
import { ANSWERS } from "./peer-client.js";

export interface ToolCase {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** What the result's text holds. */
  readonly text: string;
}

export interface Exhibit {
  /** For servers that echo nothing: a call whose answer is known. `echo` is then a tool whose argument is a string. */
  readonly plain?: ToolCase;
  readonly echo: { readonly tool: string; readonly argument: string; readonly prefix: string };
  readonly structured: ToolCase & { readonly value: unknown };
  readonly failing: ToolCase;
  /** Reports progress from 1 to `count`, pausing before each report and before the result. */
  readonly steps: ToolCase & { readonly count: number };
  /** Reports the same with no pause at all. */
  readonly burst: ToolCase & { readonly count: number };
  /** Ends only when it is cancelled; `witness` is a tool that tells how many calls were begun and how many cancelled. */
  readonly hanging: { readonly tool: string; readonly args: Record<string, unknown>; readonly witness?: string };
  readonly logging: ToolCase;
  readonly asking: ToolCase;
  readonly askingUrl: ToolCase;
  readonly sampling: ToolCase;
  readonly roots: ToolCase;
  /** Asks two things at once, and a third when it has the answers. */
  readonly rounds: ToolCase;
  /** Adds a tool. */
  readonly growing: ToolCase;
  /** Says that the resource changed. */
  readonly touching: ToolCase;
  readonly resource: { readonly uri: string; readonly text: string };
  readonly template: { readonly uriTemplate: string; readonly uri: string; readonly text: string };
  readonly prompt: { readonly name: string; readonly args: Record<string, string>; readonly text: string };
  readonly completion: {
    readonly prompt: string;
    readonly argument: string;
    readonly value: string;
    readonly values: readonly string[];
  };
}

const STEPS = { args: { count: 4 }, count: 4, text: "4 steps" } as const;

export const exhibit: Exhibit = {
  echo: { tool: "echo", argument: "text", prefix: "" },
  structured: { tool: "sum", args: { a: 1, b: 2 }, text: "", value: { sum: 3 } },
  failing: { tool: "fail", args: {}, text: "it broke" },
  steps: { tool: "steps", ...STEPS },
  burst: { tool: "burst", ...STEPS },
  hanging: { tool: "hang", args: {}, witness: "hung" },
  logging: { tool: "log", args: {}, text: "logged" },
  asking: { tool: "ask", args: {}, text: ANSWERS.name },
  askingUrl: { tool: "ask-url", args: {}, text: "accept" },
  sampling: { tool: "sample", args: {}, text: ANSWERS.sampled },
  roots: { tool: "roots", args: {}, text: ANSWERS.root },
  rounds: { tool: "rounds", args: {}, text: `${ANSWERS.name}, ${ANSWERS.root}, green` },
  growing: { tool: "grow", args: {}, text: "grown" },
  touching: { tool: "touch", args: {}, text: "touched" },
  resource: { uri: "note://today", text: "rain" },
  template: { uriTemplate: "note://by-day/{day}", uri: "note://by-day/monday", text: "on monday" },
  prompt: { name: "greet", args: { who: "Ada" }, text: "Greet Ada" },
  completion: { prompt: "greet", argument: "who", value: "a", values: ["ada"] },
};

/** How long the pauses of a server that reports progress take: long enough for a cut stream to be noticed. */
export const STEP_MS = 40;

/** How many calls of the hanging tool were begun, and how many of them cancelled. */
export class HungCalls {
  #begun = 0;
  #cancelled = 0;

  async until(signal: AbortSignal): Promise<string> {
    this.#begun += 1;
    // Stands for work. A worker ends a request whose handler waits for nothing that its runtime knows of.
    const work = setInterval(() => undefined, 1_000);
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    clearInterval(work);
    this.#cancelled += 1;
    return "cancelled";
  }

  report(): string {
    return JSON.stringify({ begun: this.#begun, cancelled: this.#cancelled });
  }
}
