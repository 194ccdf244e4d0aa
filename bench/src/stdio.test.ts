import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coldContenders } from "./cold-start.js";
import { BuiltPrograms } from "./stdio/built-programs.fixture.js";
import { CallLines } from "./stdio/call-lines.js";
import { LineLoad } from "./stdio/line-load.js";
import { LineProcess, type Lines } from "./stdio/line-process.js";
import { STDIO_CONTENDERS } from "./stdio/stdio-contenders.js";
import { jobAt, quoteResult } from "./workload.js";

const contenders = [...STDIO_CONTENDERS, ...coldContenders().filter(({ program }) => program.includes("cold-start/"))];

describe("the programs", () => {
  let built: BuiltPrograms;
  beforeAll(async () => {
    const programs = contenders.map(({ program }) => program.replace(/^.*\/src\//, "").replace(/\.js$/, ""));
    built = await BuiltPrograms.of([...new Set(programs)]);
  });
  afterAll(() => built[Symbol.asyncDispose]());

  it.each(contenders.map((each) => ({ ...each, file: each.program.split("/").at(-1) })))(
    "answers every call, 64 in flight: $file, $era",
    async (contender) => {
      await using program = new LineProcess([built.find(contender.program)]);
      const load = new LineLoad(program, contender);
      await load.open();
      await load.callOnce();
      expect(await load.callsPerSecond(64, 1)).toBeGreaterThan(0);
    },
  );
});

describe("call lines", () => {
  const answer = (id: number, job = id) =>
    JSON.stringify({ jsonrpc: "2.0", id, result: quoteResult(jobAt(job).order) });

  it("takes the right answers, whatever their order, the second time as well as the first", () => {
    const calls = new CallLines("modern", true);
    for (let call = 0; call < 2 * 1_024; call += 2) {
      const first = call % 1_024;
      const requests = [calls.issue(), calls.issue()].map((line) => JSON.parse(line).id);
      expect(requests).toEqual([first, first + 1]);
      expect([calls.take(answer(first + 1)), calls.take(answer(first))]).toEqual([first + 1, first]);
    }
  });

  it.each([
    ["another call's content", answer(0, 1), "expected"],
    ["an error", '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}', "expected"],
    ["a request that is not out", answer(1), "not out"],
    ["no call", '{"jsonrpc":"2.0","method":"notifications/message"}', "no answer"],
  ])("refuses an answer to/with %s", (_, line, complaint) => {
    const calls = new CallLines("legacy", true);
    calls.issue();
    expect(() => calls.take(line)).toThrow(complaint);
  });

  it("refuses a second answer", () => {
    const calls = new CallLines("legacy", true);
    calls.issue();
    calls.take(answer(0));
    expect(() => calls.take(answer(0))).toThrow("not out");
  });

  it("notices an answer that never came", () => {
    const calls = new CallLines("legacy", false);
    calls.issue();
    for (let id = 1; id < 1_024; id++) {
      calls.issue();
      calls.take(answer(id));
    }
    expect(() => calls.issue()).toThrow("request 0 was not answered");
  });
});

describe("the load", () => {
  it("keeps as many calls in flight as it is asked to, and waits for the last", async () => {
    let most = 0;
    let inFlight = 0;
    let answered = 0;
    const lines: Lines = {
      listen(onLines) {
        this.write = (text) => {
          const requests = text.trimEnd().split("\n");
          inFlight += requests.length;
          most = Math.max(most, inFlight);
          queueMicrotask(() => {
            inFlight -= requests.length;
            answered += requests.length;
            onLines(requests.map((request) => JSON.stringify({ id: JSON.parse(request).id })));
          });
        };
      },
      write: () => undefined,
    };
    expect(await new LineLoad(lines, { era: "modern", role: "floor" }).callsPerSecond(8, 1)).toBeGreaterThan(0);
    expect(most).toBe(8);
    expect(inFlight).toBe(0);
    expect(answered % 8).toBe(0);
  });

  it("says so if the program ends, with what it complained about", async () => {
    await using program = new LineProcess(["-e", "console.error('out of order'); process.exit(3)"]);
    const load = new LineLoad(program, { era: "legacy", role: "peer" });
    await expect(load.open()).rejects.toThrow(/ended with 3: out of order/);
  });

  it("gives up at a handshake that is refused", async () => {
    const refusal = '{"jsonrpc":"2.0","id":"open","error":{"code":-32602,"message":"no"}}';
    await using program = new LineProcess(["-e", `console.log('${refusal}'); process.stdin.resume()`]);
    await expect(new LineLoad(program, { era: "legacy", role: "peer" }).open()).rejects.toThrow("-32602");
  });
});
