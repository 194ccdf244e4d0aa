/** The key words that scripts/spec-keywords.js reads from pages of the specification. */
import { expect, test } from "vitest";
import { keywordsOf } from "../scripts/spec-keywords.js";

test("a section has the strongest key word of its text and of the sections below it", () => {
  const page = [
    "# Page",
    "A page MUST begin.",
    "## Sending Messages",
    "Clients **MAY** send.",
    "### The `id` Field",
    "It SHOULD be short, and is REQUIRED.",
    "## Data types",
    "A must in small letters is none.",
    "## Notes",
    "Senders SHOULD NOT wait.",
    "## Notes",
    "This is OPTIONAL.",
  ].join("\n");

  expect(keywordsOf(page)).toEqual({
    "sending-messages": "must",
    "the-id-field": "must",
    notes: "should",
    "notes-2": "may",
  });
});
