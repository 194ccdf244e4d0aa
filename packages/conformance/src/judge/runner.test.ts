import { expect, test } from "vitest";
import { runScripted } from "../mutants/run-scripted.fixture.js";
import type { OpenPipe } from "../wire/line-process.js";

test("every program has ended after a run that throws", async () => {
  const running = new Set<unknown>();
  let opened = 0;
  const counted =
    (open: OpenPipe): OpenPipe =>
    (handlers) => {
      const pipe = open(handlers);
      running.add(pipe);
      opened += 1;
      const kill = () => {
        running.delete(pipe);
        pipe.kill();
      };
      const write = (text: string) => {
        if (text.includes('"tools/list"')) throw new Error("broken pipe");
        pipe.write(text);
      };
      return { ...pipe, write, kill };
    };

  await expect(runScripted({ kind: "stdio", wrap: counted })).rejects.toThrow("broken pipe");
  expect([opened > 0, running.size]).toEqual([true, 0]);
});
