/** Holds the doc comments of options: each says what applies without it. */
import { describe, expect, test } from "vitest";
import { lacksDefault, optionsOf } from "./option-defaults.js";
import { isTestFile, readTypeScript } from "./source-files.js";

describe("the options of the SDK", () => {
  const sources = ["packages/sdk/src", "packages/redis/src", "packages/bullmq/src"]
    .flatMap(readTypeScript)
    .filter(({ path }) => !isTestFile(path));
  const options = sources.flatMap(optionsOf);

  test("are found", () => {
    expect(options.length).toBeGreaterThan(200);
  });

  test("have a @defaultValue, which is `none` where nothing applies without them", () => {
    const lacking = options.filter(lacksDefault);
    expect(lacking.map(({ path, name }) => `${path}: ${name} has no @defaultValue`)).toEqual([]);
  });
});

describe("reading options", () => {
  const lackingIn = (text: string) =>
    optionsOf({ path: "a.ts", text })
      .filter(lacksDefault)
      .map(({ name }) => name);

  test("finds the optional members of an exported type whose name ends in Options or Config", () => {
    const text = `export interface AOptions {
      /** Items. @defaultValue 5 */
      readonly maxItems?: number | undefined;
      /**
       * Name.
       * @defaultValue none
       */
      name?: string;
      /** Told. */
      readonly onError?: () => void;
      close?(): void;
      required: number;
    }
    interface BOptions { a?: number }
    export interface CConfig { a?: number }
    export interface Other { a?: number }`;
    expect(lackingIn(text)).toEqual(["AOptions.onError", "AOptions.close", "CConfig.a"]);
  });

  test("follows unions and intersections", () => {
    const text = "export type AOptions = BOptions & ({ a?: number } | { /** @defaultValue 1 */ b?: number });";
    expect(lackingIn(text)).toEqual(["AOptions.a"]);
  });

  test("an empty tag is no default, nor is the comment of another member", () => {
    const text = `export interface AOptions { /** Items. @defaultValue */ a?: number;
      /** @defaultValue 1 */ b?: number; c?: number }`;
    expect(lackingIn(text)).toEqual(["AOptions.a", "AOptions.c"]);
  });
});
