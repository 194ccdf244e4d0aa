import { expect, it } from "vitest";
import {
  checkDuration,
  checkLifetime,
  checkLimit,
  checkMethods,
  checkNumber,
  checkRate,
  checkText,
  checkTimer,
  checkWholeNumber,
} from "./option-checks.js";

const invalid = (text: string) =>
  expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(text) });

it("finds what an unset environment variable became", () => {
  expect(() => checkText("clientSecret", "a secret")).not.toThrow();
  for (const unset of [undefined, null, "", "undefined", "null"]) {
    expect(() => checkText("clientSecret", unset)).toThrow(invalid("clientSecret: got "));
    expect(() => checkText("clientSecret", unset)).toThrow(invalid("is its environment variable set?"));
  }
  expect(() => checkText("clientSecret", 7)).toThrow(invalid("clientSecret: expected a string, got number"));
});

it("says how long a text must be, and quotes none of it", () => {
  expect(() => checkText("clientSecret", "0123456789abcdef", 16)).not.toThrow();
  expect(() => checkText("clientSecret", "hunter2", 16)).toThrow(
    expect.objectContaining({ message: "clientSecret: expected at least 16 characters, got 7" }),
  );
});

it("refuses milliseconds that neither a date nor a timer can hold, and says which are possible", () => {
  for (const ms of [1, 0.5 + 1, 86_400_000]) expect(() => checkLifetime("grantMs", ms)).not.toThrow();
  for (const ms of [Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 1e15]) {
    expect(() => checkLifetime("grantMs", ms)).toThrow(
      invalid(`grantMs: expected milliseconds from 1 to 3155760000000, got ${ms}`),
    );
  }
  expect(() => checkLifetime("skewMs", 0, 0)).not.toThrow();
  expect(() => checkTimer("timeoutMs", 2 ** 31 - 1)).not.toThrow();
  expect(() => checkTimer("timeoutMs", 2 ** 31)).toThrow(
    invalid("timeoutMs: expected milliseconds from 1 to 2147483647"),
  );
});

it("takes a number for a limit, Infinity included", () => {
  for (const limit of [1, 1.5, Number.POSITIVE_INFINITY]) expect(() => checkLimit("max", limit)).not.toThrow();
  for (const limit of [0, Number.NaN]) {
    expect(() => checkLimit("max", limit)).toThrow(invalid(`max: expected a number from 1, got ${limit}`));
  }
  expect(() => checkDuration("ms", Number.POSITIVE_INFINITY)).not.toThrow();
  expect(() => checkDuration("ms", 0)).toThrow(invalid("ms: expected a positive number of milliseconds or Infinity"));
});

it("takes whole numbers in their range", () => {
  for (const port of [0, 65_535]) expect(() => checkWholeNumber("port", port, 0, 65_535)).not.toThrow();
  for (const port of [-1, 65_536, 0.5, Number.NaN]) {
    const message = `port: expected a whole number from 0 to 65535, got ${port}`;
    expect(() => checkWholeNumber("port", port, 0, 65_535)).toThrow(invalid(message));
  }
  const message = "items: expected a whole number from 1, got Infinity";
  expect(() => checkWholeNumber("items", Number.POSITIVE_INFINITY, 1)).toThrow(invalid(message));
});

it("says what to do about values that are no numbers", () => {
  const given: [unknown, string][] = [
    ["8", 'the string "8"; convert it with Number()'],
    [null, "null; leave the option out for its default"],
    [8n, "a value of type bigint"],
  ];
  for (const [value, described] of given) {
    expect(() => checkLifetime("grantMs", value)).toThrow(invalid(`3155760000000, got ${described}`));
    expect(() => checkNumber("grantMs", value, 0)).toThrow(invalid(`a number from 0, got ${described}`));
  }
});

it("refuses a rate without finite numbers above zero", () => {
  expect(() => checkRate("rate", { perSecond: 0.1, burst: 1 })).not.toThrow();
  const wrong = [null, 8, { perSecond: 0, burst: 1 }, { perSecond: 1, burst: 0.5 }, { perSecond: "8", burst: 8 }];
  const unbounded = [Number.NaN, Number.POSITIVE_INFINITY].flatMap((value) => [
    { perSecond: value, burst: 1 },
    { perSecond: 1, burst: value },
  ]);
  for (const rate of [...wrong, ...unbounded]) {
    expect(() => checkRate("rate", rate as never)).toThrow(
      invalid("rate: expected perSecond above 0 and burst from 1, got {"),
    );
  }
  const message = "got { perSecond: NaN, burst: 1 }; leave it out";
  expect(() => checkRate("rate", { perSecond: Number.NaN, burst: 1 }, "; leave it out")).toThrow(invalid(message));
});

it("refuses a promise, and a value without a method", () => {
  const check = (value: unknown) => () => checkMethods("store", value, "a CacheStore", ["get", "set"]);
  expect(check(new Map())).not.toThrow();
  expect(check(Promise.resolve(new Map()))).toThrow(invalid("store: expected a CacheStore, got a promise; await it"));
  expect(check(new Set())).toThrow(invalid("store: expected a CacheStore, got an object without the method get"));
  expect(check({ get: () => 1, set: 1 })).toThrow(invalid("got an object without the method set"));
  expect(check(undefined)).toThrow(invalid("store: expected a CacheStore, got nothing"));
  expect(check(Map)).toThrow(invalid("store: expected a CacheStore, got the function Map"));
});
