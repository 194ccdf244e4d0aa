import { expect, test } from "vitest";
import type { LinePipeHandlers, OpenPipe } from "./line-process.js";
import { sparePipes } from "./spare-pipes.js";

function programs() {
  const started: LinePipeHandlers[] = [];
  const killed: number[] = [];
  const open: OpenPipe = (handlers) => {
    const number = started.push(handlers);
    return { write: () => undefined, endInput: () => undefined, kill: () => void killed.push(number) };
  };
  return { started, killed, open };
}

/** What a listener was told, in order. */
function listener() {
  const told: string[] = [];
  return {
    told,
    handlers: { onLine: (line: string) => void told.push(line), onEnd: (how: string) => void told.push(how) },
  };
}

test("the next programs are started while one is used", () => {
  const { started, open } = programs();

  sparePipes(open, 2).open(listener().handlers);

  expect(started).toHaveLength(3);
});

test("pipes are handed out in the order in which their programs were started", async () => {
  const { started, open } = programs();
  const spares = sparePipes(open, 1);
  const [first, second] = [listener(), listener()];
  spares.open(first.handlers);
  spares.open(second.handlers);
  await Promise.resolve();

  started[1]?.onLine("from the second");

  expect(first.told).toEqual([]);
  expect(second.told).toEqual(["from the second"]);
});

test("lines and the end of a spare program reach the one who opens it", async () => {
  const { started, open } = programs();
  const spares = sparePipes(open, 1);
  spares.open(listener().handlers);
  started[1]?.onLine("early");
  started[1]?.onEnd("the program exited with 1");
  const { told, handlers } = listener();

  spares.open(handlers);
  await Promise.resolve();

  expect(told).toEqual(["early", "the program exited with 1"]);
});

test("closing kills the programs that nobody used, and starts no more", () => {
  const { started, killed, open } = programs();
  const spares = sparePipes(open, 2);
  spares.open(listener().handlers);

  spares.close();
  spares.open(listener().handlers);

  expect(killed).toEqual([2, 3]);
  expect(started).toHaveLength(4);
});
