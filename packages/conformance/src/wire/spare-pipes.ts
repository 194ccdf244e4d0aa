/** Programs that are started before they are needed: most of a run over pipes would otherwise wait for programs to start. */
import type { LinePipe, LinePipeHandlers, OpenPipe } from "./line-process.js";

export interface SparePipes {
  readonly open: OpenPipe;
  /** Ends the programs that nobody used. */
  close(): void;
}

/** Lines of a spare program that are kept. A program that says more before it is asked is cut off there. */
const MAX_KEPT_LINES = 1000;

export function sparePipes(open: OpenPipe, count: number): SparePipes {
  const spares: SparePipe[] = [];
  let isClosed = false;
  const fill = () => {
    while (!isClosed && spares.length < count) spares.push(new SparePipe(open));
  };
  return {
    open: (handlers) => {
      const spare = spares.shift() ?? new SparePipe(open);
      fill();
      return spare.attach(handlers);
    },
    close: () => {
      isClosed = true;
      for (const spare of spares.splice(0)) spare.pipe.kill();
    },
  };
}

/** A running program whose output is kept until somebody listens. */
class SparePipe {
  readonly pipe: LinePipe;
  readonly #lines: string[] = [];
  #end: string | undefined;
  #handlers: LinePipeHandlers | undefined;

  constructor(open: OpenPipe) {
    this.pipe = open({
      onLine: (line) => {
        if (this.#handlers) this.#handlers.onLine(line);
        else if (this.#lines.length < MAX_KEPT_LINES) this.#lines.push(line);
      },
      onLongLine: () => this.#handlers?.onLongLine?.(),
      onEnd: (how) => {
        this.#end = how;
        this.#handlers?.onEnd(how);
      },
    });
  }

  attach(handlers: LinePipeHandlers): LinePipe {
    // Whoever opens a pipe gets it before its first line.
    queueMicrotask(() => {
      for (const line of this.#lines.splice(0)) handlers.onLine(line);
      this.#handlers = handlers;
      if (this.#end !== undefined) handlers.onEnd(this.#end);
    });
    return this.pipe;
  }
}
