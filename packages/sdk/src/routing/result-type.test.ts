import { expect, it } from "vitest";
import { z } from "zod";
import { defineResultType } from "./result-type.js";

const result = z.object({});
const settle = () => Promise.resolve({});

it("refuses a name of the specification, and a type that answers no method", () => {
  expect(() => defineResultType("complete", { methods: ["tools/call"], result, settle })).toThrow(
    'defineResultType("complete"): expected a name that the specification does not use',
  );
  expect(() => defineResultType("acme/job", { methods: [], result, settle })).toThrow(
    'defineResultType("acme/job"): expected at least one method',
  );
});
