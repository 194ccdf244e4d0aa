import { expect, it } from "vitest";
import { checkKind, checkOptions, describeKind, type OptionTable } from "./option-table.js";

interface ServeOptions {
  authenticate?: () => void;
  authorization?: object;
  hosts?: readonly string[];
  path?: string;
  port?: number;
  quiet?: boolean;
  timeoutMs?: number;
}

const TABLE: OptionTable<ServeOptions> = {
  authenticate: "function",
  authorization: "object",
  hosts: "list",
  path: "string",
  port: true,
  quiet: "boolean",
  timeoutMs: true,
};

const check = (options: unknown) => () => checkOptions("serve", options as ServeOptions, TABLE);
const invalid = (message: string) => expect.objectContaining({ code: "invalid-argument", message });

it("accepts every option of its kind, and undefined", () => {
  const authenticate = () => {};
  expect(check({ authenticate, authorization: {}, hosts: [], path: "/", port: 1, quiet: false })).not.toThrow();
  expect(check({ authenticate: undefined, path: undefined })).not.toThrow();
});

it.each([
  ["autorization", '"authorization"'],
  ["Authorization", '"authorization"'],
  ["authentication", '"authenticate"'],
  ["auth", '"authenticate" or "authorization"'],
  ["timeout", '"timeoutMs"'],
  ["prt", '"port"'],
])("names the nearest spelling of %s", (name, meant) => {
  expect(check({ [name]: true })).toThrow(invalid(`serve: there is no option "${name}"; did you mean ${meant}?`));
});

it.each(["cors", "to", "", "__proto__", "toString"])("lists the names if %s is near none", (name) => {
  const options = Object.fromEntries([[name, true]]);
  const names = Object.keys(TABLE).join(", ");
  expect(check(options)).toThrow(invalid(`serve: there is no option "${name}"; expected some of ${names}`));
});

it.each([
  [undefined, "nothing"],
  [null, "null"],
  [3000, "3000"],
  [[], "a list"],
  ["/mcp", 'the string "/mcp"'],
])("refuses %j in place of the object", (options, got) => {
  const expected = `serve: expected an object with some of ${Object.keys(TABLE).join(", ")}, got ${got}`;
  expect(check(options)).toThrow(invalid(expected));
});

it.each([
  [{ authenticate: {} }, "serve: authenticate: expected a function, got an object"],
  [{ authorization: check }, "serve: authorization: expected an object, got the function check"],
  [{ hosts: "x.com" }, 'serve: hosts: expected a list, got the string "x.com"'],
  [{ path: null }, "serve: path: expected a string, got null"],
  [{ quiet: 1 }, "serve: quiet: expected true or false, got 1"],
])("refuses %o", (options, message) => {
  expect(check(options)).toThrow(invalid(message));
});

it("checks one value", () => {
  expect(() => checkKind("path", 7, "string")).toThrow(invalid("path: expected a string, got 7"));
  expect(() => checkKind("path", 7)).not.toThrow();
  expect(describeKind(() => {})).toBe("the function without a name");
});

it("knows a name of which a third of the letters differ", () => {
  expect(check({ timexxxMs: 1 })).toThrow('did you mean "timeoutMs"?');
  expect(check({ tixxxxxMs: 1 })).not.toThrow("did you mean");
});
