/** Stacks that begin where an author called: a connection fails in callbacks of the runtime, which tell an author nothing. */

/** V8 alone has it. */
interface Capturing {
  captureStackTrace?(target: object, below: unknown): void;
}

/** To be called by `method` before it awaits anything. Returns what gives an error the stack of the caller of `method`. */
export function authorStack(method: unknown): (error: unknown) => unknown {
  const site: { stack?: string } = {};
  (Error as Capturing).captureStackTrace?.(site, method);
  const { stack = "" } = site;
  const start = stack.indexOf("\n    at ");
  return (error) => {
    if (error instanceof Error && start >= 0) error.stack = `${error.name}: ${error.message}${stack.slice(start)}`;
    return error;
  };
}
