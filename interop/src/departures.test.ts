import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { departures } from "./departures.js";

const page = readFileSync(new URL("../../docs/interop.md", import.meta.url), "utf8");
const sections = page.split(/^### /m).slice(1);

test("docs/interop.md shows every departure once, in the same order", () => {
  expect(sections.map((section) => section.split("\n")[0])).toEqual(departures.map(({ id }) => id));
});

test.each(departures)("$id names the page that it departs from, and is shown with the wire", (departure) => {
  const section = sections.find((candidate) => candidate.startsWith(`${departure.id}\n`));
  expect(section).toContain(`https://modelcontextprotocol.io/specification/${departure.page}`);
  expect(section).toContain(departure.strength === "described" ? "*Described* in" : departure.strength);
  expect(section).toMatch(/```text\n[^`]*^[<>] /m);
});
