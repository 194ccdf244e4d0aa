/** Runs work for a limited time. The engine interrupts a regular expression only inside a script with a timeout. */
import { createContext, Script } from "node:vm";

const WORK = new Script("work()");
const SCOPE = createContext({ work: (): unknown => undefined });

/** @throws what `work` throws, and an error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT` after `maxMs`. */
export function runWithin<Value>(maxMs: number, work: () => Value): Value {
  SCOPE.work = work;
  return WORK.runInContext(SCOPE, { timeout: maxMs });
}
