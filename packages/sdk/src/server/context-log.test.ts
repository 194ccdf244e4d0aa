import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOGGING_LEVELS, type LoggingLevel } from "../protocol/logging.js";
import type { JsonObject } from "../runtime/json.js";
import { createContextLog, logDropped } from "./context-log.js";
import { LogRate } from "./log-rate.js";

/** A log whose level can be changed, and what it sent. */
function logAt(minimum: LoggingLevel | undefined, isDeclared = true, maxPerSecond = Number.POSITIVE_INFINITY) {
  const sent: JsonObject[] = [];
  const rate = new LogRate(maxPerSecond, () => 0);
  const target = { minimum, isDeclared, rate, send: (params: JsonObject) => void sent.push(params) };
  return { log: createContextLog(target), sent, target };
}

describe("levels", () => {
  it("has one function per level, least severe first", () => {
    expect(Object.keys(logAt("debug").log)).toEqual([...LOGGING_LEVELS]);
  });

  it.each(LOGGING_LEVELS.map((level, index) => [level, LOGGING_LEVELS.slice(index)] as const))(
    "%s sends what is at least as severe",
    (minimum, expected) => {
      const { log, sent } = logAt(minimum);
      for (const level of LOGGING_LEVELS) log[level](level);
      expect(sent).toEqual(expected.map((level) => ({ level, data: level })));
    },
  );

  it("sends nothing without a level", () => {
    const { log, sent } = logAt(undefined);
    for (const level of LOGGING_LEVELS) log[level]("lost");
    expect(sent).toEqual([]);
  });

  it("goes by the level of the moment", () => {
    const { log, sent, target } = logAt("error");
    log.info("first");
    target.minimum = "info";
    log.info("second");
    target.minimum = undefined;
    log.emergency("third");
    expect(sent).toEqual([{ level: "info", data: "second" }]);
  });

  it("can be taken apart", () => {
    const { log, sent } = logAt("debug");
    const { warning } = log;
    warning("hot", "sensor");
    expect(sent).toEqual([{ level: "warning", logger: "sensor", data: "hot" }]);
  });
});

it("refuses every level, whatever the client asked for, on a server that did not declare logging", () => {
  for (const minimum of [undefined, "debug"] as const) {
    const { log, sent } = logAt(minimum, false);
    for (const level of LOGGING_LEVELS) {
      expect(() => log[level]("lost")).toThrow(
        expect.objectContaining({ name: "SdkError", code: "capability-not-supported" }),
      );
    }
    expect(sent).toEqual([]);
  }
});

describe("data", () => {
  const dataOf = (data: unknown): unknown => {
    const { log, sent } = logAt("debug");
    log.info(data);
    expect(sent).toEqual([{ level: "info", data: sent[0]?.data }]);
    return sent[0]?.data;
  };

  it("goes out as a copy of any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // Text has no -0.
        const data: unknown = JSON.parse(JSON.stringify(value));
        const copy = dataOf(data);
        expect(copy).toEqual(data);
        if (typeof data === "object" && data !== null) expect(copy).not.toBe(data);
      }),
    );
  });

  it("is JSON whatever was logged", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (value) => {
        const copy = dataOf(value);
        expect(copy).toBeDefined();
        expect(JSON.parse(JSON.stringify(copy))).toEqual(copy);
      }),
    );
  });

  it.each([
    ["an error", new TypeError("no such row"), { name: "TypeError", message: "no such row" }],
    ["an error inside", { cause: new Error("late") }, { cause: { name: "Error", message: "late" } }],
    ["a large integer", [2n ** 64n], ["18446744073709551616"]],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["nothing", undefined, null],
    ["a function", () => "source", null],
    ["a symbol", Symbol("s"), null],
  ])("writes %s readably", (_what, data, expected) => {
    expect(dataOf(data)).toEqual(expected);
  });

  it("says so where there is no way to write it", () => {
    const circular: JsonObject = {};
    circular.self = circular;
    const throwing = {
      toJSON: () => {
        throw new Error("secret");
      },
    };
    expect([dataOf(circular), dataOf(throwing)]).toEqual([
      "(left out: it cannot be written as JSON)",
      "(left out: it cannot be written as JSON)",
    ]);
  });
});

describe("more messages than go out", () => {
  it("are counted, and the count is told once", () => {
    const { log, sent, target } = logAt("info", true, 2);
    for (const data of ["a", "b", "c", "d"]) log.info(data);
    log.debug("below the level, so it is none of them");
    logDropped(target);
    logDropped(target);
    const data = "2 log messages were left out: at most 2 per second";
    expect(sent.slice(2)).toEqual([{ level: "warning", data }]);
  });

  it.each(["error", undefined] as const)("are not told to a client that wants %s", (minimum) => {
    const { log, sent, target } = logAt("info", true, 1);
    for (const data of ["a", "b"]) log.error(data);
    target.minimum = minimum;
    logDropped(target);
    expect(sent).toHaveLength(1);
  });
});
