import { expect, it } from "vitest";
import { jobIds } from "./job-filter.fixture.js";
import { checkFilter } from "./listen-filter.js";

it.each([
  [{ resources: ["a://1"] }, /resources is true or false.*resource:/],
  [{ resource: "a://1" }, /resource: expected an array of URIs, got string/],
])("refuses %j, and says what to give instead", (filter, message) => {
  // @ts-expect-error: what plain JavaScript may pass
  const check = () => checkFilter(filter, () => true);
  expect(check).toThrow(expect.objectContaining({ code: "invalid-argument", message: expect.stringMatching(message) }));
});

it("takes every key, and none", () => {
  checkFilter({ tools: true, prompts: false, resources: true, resource: ["a://1"] }, () => true);
  checkFilter({}, () => true);
});

it("refuses the filter of an extension that the client does not have", () => {
  const filter = { extensions: [jobIds.of(["j1"])] };
  checkFilter(filter, () => true);
  expect(() => checkFilter(filter, () => false)).toThrow(
    expect.objectContaining({
      code: "invalid-argument",
      message: expect.stringMatching(/"acmeJobIds" is a filter of no extension of this client; give the extension/),
    }),
  );
});
