import { expect, it } from "vitest";
import { checkMilliseconds, checkOptionNames, checkText, MAX_TIMER_MS } from "./option-checks.js";

const invalid = (text: string) =>
  expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(text) });

it("names an option that does not exist, and those that do", () => {
  const known = { scopes: true, store: true } as const;
  expect(() => checkOptionNames("oauth", { scopes: [], store: 1 }, known)).not.toThrow();
  const misspelled = { scope: "read" } as never;
  expect(() => checkOptionNames("oauth", misspelled, known)).toThrow(
    invalid('oauth: there is no option "scope"; expected some of scopes, store'),
  );
  for (const none of [undefined, null, "scopes"]) {
    expect(() => checkOptionNames("oauth", none as never, known)).toThrow(invalid("oauth: expected an object"));
  }
});

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
  for (const ms of [1, 0.5 + 1, 86_400_000]) expect(() => checkMilliseconds("grantMs", ms)).not.toThrow();
  for (const ms of [Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 1e15, "60000"]) {
    expect(() => checkMilliseconds("grantMs", ms)).toThrow(
      invalid(`grantMs: expected milliseconds from 1 to 3155760000000, got ${ms}`),
    );
  }
  expect(() => checkMilliseconds("skewMs", 0, { fromMs: 0 })).not.toThrow();
  expect(() => checkMilliseconds("timeoutMs", 2 ** 31, { toMs: MAX_TIMER_MS })).toThrow(invalid("to 2147483647"));
});
