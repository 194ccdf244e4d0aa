import { expect, test } from "vitest";
import { sentencesWithoutSubject } from "./sentences.js";

test("a sentence that begins with its subject stands alone", () => {
  const sentences = [
    "a store writes the file behind a link",
    "-32602 answers an unknown id",
    "items of a list are told",
  ];

  expect(sentencesWithoutSubject(sentences)).toEqual([]);
});

test.each(["as a mounted volume has", "with its parents", "And the handler stops", "whatever it asks for", "by 429"])(
  "%s has no subject",
  (sentence) => {
    expect(sentencesWithoutSubject([sentence])).toEqual([sentence]);
  },
);
