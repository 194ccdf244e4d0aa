import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Forked, startAll } from "./forked.js";

const folder = mkdtempSync(join(tmpdir(), "bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Answers with the argument and what it is asked for, says nothing to `hush`, complains about `no`, ends at `end`. */
const CHILD = `
process.on("message", ({ text }) => {
  if (text === "end") process.exit(3);
  if (text === "hush") return;
  process.send(text === "no" ? { error: "I will not" } : { value: process.argv[2] + text });
});
process.once("disconnect", () => process.exit(0));
process.send({ value: "ready" });
`;

describe("a forked process", () => {
  const module = write("child.mjs", CHILD);

  it("says that it is ready, answers, and ends when it is no longer needed", async () => {
    const [child, ready] = await Forked.start<string>("child", module, ["a"]);
    expect(ready).toBe("ready");
    expect(await child.ask<string>({ text: "b" })).toBe("ab");
    expect(await child.ask<string>({ text: "c" })).toBe("ac");
    await child[Symbol.asyncDispose]();
    await expect(child.ask({ text: "d" })).rejects.toThrow("child: its process ended with 0");
  });

  it("is quoted with its complaint", async () => {
    const [child] = await Forked.start("child", module, []);
    await expect(child.ask({ text: "no" })).rejects.toThrow("child: I will not");
    await child[Symbol.asyncDispose]();
  });

  it("is missed when it ends instead of answering", async () => {
    const [child] = await Forked.start("child", module, []);
    await expect(child.ask({ text: "end" })).rejects.toThrow("child: its process ended with 3");
  });

  it("is given up when it says nothing", async () => {
    const [child] = await Forked.start("child", module, []);
    await expect(child.ask({ text: "hush" }, 1)).rejects.toThrow("child: said nothing for 0.001 s");
    await child[Symbol.asyncDispose]();
  });

  it("is missed when it ends before it is ready", async () => {
    const ending = write("ending.mjs", "process.exit(4)");
    await expect(Forked.start("child", ending, [])).rejects.toThrow("child: its process ended with 4");
  });
});

describe("starting all", () => {
  const stopped: string[] = [];
  const start = async (name: string) => {
    if (name === "bad") throw new Error("bad: no");
    return { name, [Symbol.asyncDispose]: async () => void stopped.push(name) };
  };

  it("gives them in order", async () => {
    expect((await startAll(["a", "b"], start)).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(stopped).toEqual([]);
  });

  it("stops the others where one fails", async () => {
    await expect(startAll(["a", "bad", "b"], start)).rejects.toThrow("bad: no");
    expect(stopped).toEqual(["a", "b"]);
  });
});

function write(name: string, text: string): URL {
  const path = join(folder, name);
  writeFileSync(path, text);
  return pathToFileURL(path);
}
