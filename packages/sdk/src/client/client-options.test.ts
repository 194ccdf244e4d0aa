import { expect, it } from "vitest";
import { REVISIONS } from "../protocol/revisions.js";
import { Client } from "./client.js";

const identity = { name: "c", version: "1.0.0" };
const ALL = REVISIONS.join(", ");

it.each([
  ["an unknown revision", { revision: "2025-06-19" }, `revision: expected one of ${ALL}; got "2025-06-19"`],
  ["a revision that is no text", { revision: 2025 }, `revision: expected one of ${ALL}; got 2025`],
  ["a text for a list", { revisions: "2025-06-18" }, `revisions: expected an array of ${ALL}; got "2025-06-18"`],
  ["an unknown one in a list", { revisions: ["2025-06-18", "x"] }, `revisions[1]: expected one of ${ALL}; got "x"`],
  ["an empty list", { revisions: [] }, "revisions: expected at least one"],
])("refuses %s", (_what, options, message) => {
  // @ts-expect-error: what plain JavaScript may pass
  const create = () => new Client({ ...identity, ...options });
  expect(create).toThrow(expect.objectContaining({ code: "invalid-argument", message }));
});

it("takes every revision", () => {
  for (const revision of REVISIONS) new Client({ ...identity, revision });
  new Client({ ...identity, revisions: REVISIONS });
});
