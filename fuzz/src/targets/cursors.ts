/** Cursors of lists: a position comes out only of what this server can have given out for that list. */
import { decodeCursor, encodeCursor } from "../../../packages/sdk/src/server/registry.js";
import { mutateText } from "../mutate-text.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const LISTS: readonly string[] = ["tools", "prompts", "resources", "resourceTemplates"];

const TOKENS: readonly string[] = [
  "=",
  "==",
  "A",
  "M",
  "z",
  "0",
  "+",
  "/",
  "-",
  " ",
  "\n",
  "é",
  btoa("tools:"),
  btoa(":"),
];

export const cursors: Target = {
  name: "cursors",
  share: 50,
  maxMs: 50,
  outcomes: ["position", "refused"],
  generate(random) {
    const list = random.pick(LISTS);
    const inner = random.pick([
      "1",
      "7",
      "100",
      "1.5",
      "0",
      "-1",
      "1e3",
      "Infinity",
      "0x10",
      " 1",
      "01",
      "1:1",
      "9e99",
    ]);
    const cursor = random.oneIn(2) ? encodeCursor(list, random.between(1, 5_000)) : btoa(`${list}:${inner}`);
    return { list, cursor: random.oneIn(4) ? cursor : mutateText(random, cursor, TOKENS) };
  },
  check(input) {
    const [list, cursor] = [field(input, "list"), field(input, "cursor")];
    const position = decodeCursor(list, cursor);
    if (position === undefined) return "refused";
    demand(Number.isSafeInteger(position) && position > 0, "yields places in a list alone", () => String(position));
    demandEqual(encodeCursor(list, position), cursor, "takes nothing but what it gives out");
    for (const other of LISTS) {
      if (other !== list) demandEqual(decodeCursor(other, cursor), undefined, "keeps the cursors of two lists apart");
    }
    return "position";
  },
};
