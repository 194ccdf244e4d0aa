/** Holds the names of exported types in the SDK: none stands for two things. */
import { describe, expect, test } from "vitest";
import { sharedNames } from "./exported-names.js";
import { readTypeScript, type SourceFile } from "./source-files.js";

describe("exported types of the SDK", () => {
  const files = ["packages/sdk/src", "packages/redis/src", "packages/bullmq/src"].flatMap(readTypeScript);
  const shared = sharedNames(files);

  test("are found", () => {
    expect(files.length).toBeGreaterThan(300);
    // The same files under one more folder share everything with themselves.
    const doubled = sharedNames([...files, ...files.map(({ path, text }) => ({ path: `copy/${path}`, text }))]);
    expect(doubled.size).toBeGreaterThan(300);
  });

  test("have names of their own", () => {
    expect([...shared].map(([name, folders]) => `${name} is exported by ${folders.join(" and by ")}`)).toEqual([]);
  });
});

describe("shared names", () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  test.each([
    "export class A {}",
    "export abstract class A {}",
    "export interface A {}",
    "export type A = 1;",
    "export enum A { B }",
  ])("%s shares its name with an interface elsewhere", (text) => {
    const shared = sharedNames([file("one/a.ts", text), file("two/b.ts", "export interface A {}")]);
    expect([...shared]).toEqual([["A", ["one", "two"]]]);
  });

  test.each([
    ["of one folder", "one/b.ts", "export interface A {}"],
    ["of a test", "two/b.test.ts", "export interface A {}"],
    ["that is not exported", "two/b.ts", "interface A {}"],
    ["that is re-exported", "two/b.ts", 'export type { A } from "../one/a.js";'],
    ["of a value", "two/b.ts", "export const A = 1; export function B() {}"],
  ])("a name %s is not counted", (_case, path, text) => {
    expect(sharedNames([file("one/a.ts", "export interface A {}"), file(path, text)]).size).toBe(0);
  });
});
