import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseChallenges, serializeChallenge } from "./challenge.js";

/** Built-in units of all characters take a second to be made. */
const anyText = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 40 });

describe("parsed challenges", () => {
  test("have their scheme and names in lower case, and their values as they are", () => {
    expect(parseChallenges('BEARER Realm="My App", SCOPE="files:read Files"')).toEqual([
      { scheme: "bearer", parameters: { realm: "My App", scope: "files:read Files" } },
    ]);
  });

  test.each([
    ["a scheme alone", "Bearer", [{ scheme: "bearer", parameters: {} }]],
    ["two schemes", "Negotiate, Basic", ["negotiate", "basic"].map((scheme) => ({ scheme, parameters: {} }))],
    [
      "two challenges with parameters",
      'Basic realm="a, b", Bearer error="invalid_token", scope="x"',
      [
        { scheme: "basic", parameters: { realm: "a, b" } },
        { scheme: "bearer", parameters: { error: "invalid_token", scope: "x" } },
      ],
    ],
    [
      "a credential in Base64",
      'Negotiate YWJj==, Bearer scope="x"',
      [
        { scheme: "negotiate", parameters: {} },
        { scheme: "bearer", parameters: { scope: "x" } },
      ],
    ],
    ["a Base64 text of letters", "Negotiate YWJj", [{ scheme: "negotiate", parameters: {} }]],
    ["tokens as values", "Bearer error=invalid_token", [{ scheme: "bearer", parameters: { error: "invalid_token" } }]],
    ["spaces around the equals sign", 'Bearer a = "b" , c =d', [{ scheme: "bearer", parameters: { a: "b", c: "d" } }]],
    ["escaped characters", String.raw`Bearer a="\"b\\\c"`, [{ scheme: "bearer", parameters: { a: '"b\\c' } }]],
    ["an empty value", 'Bearer scope=""', [{ scheme: "bearer", parameters: { scope: "" } }]],
    ["empty elements", ", ,Bearer ,, a=b,", [{ scheme: "bearer", parameters: { a: "b" } }]],
    [
      "a URL without quotes",
      "Bearer resource_metadata=https://h/.well-known/x?a=b, scope=x",
      [{ scheme: "bearer", parameters: { resource_metadata: "https://h/.well-known/x?a=b", scope: "x" } }],
    ],
    [
      "parameters that spaces alone separate",
      'Bearer error="invalid_token" scope="x"',
      [{ scheme: "bearer", parameters: { error: "invalid_token", scope: "x" } }],
    ],
    ["a repeated parameter", "Bearer a=1, A=2", [{ scheme: "bearer", parameters: { a: "1" } }]],
    ["a parameter before any scheme", 'a="b", Bearer', [{ scheme: "bearer", parameters: {} }]],
    ["a value that never ends", 'Bearer a=b, c="d', [{ scheme: "bearer", parameters: { a: "b" } }]],
    ["a backslash at the end", 'Bearer a=b, c="d\\', [{ scheme: "bearer", parameters: { a: "b" } }]],
    ["garbage after a scheme", 'Bearer @@"x,y", a=b', [{ scheme: "bearer", parameters: { a: "b" } }]],
    ["garbage after a value", 'Bearer a="b"@c, d=e', [{ scheme: "bearer", parameters: { a: "b", d: "e" } }]],
    ["garbage alone", '@ "', []],
    ["nothing", "", []],
  ])("are read from %s", (_, header, expected) => {
    expect(parseChallenges(header)).toEqual(expected);
  });

  test("keep a parameter named __proto__ to themselves", () => {
    const [challenge] = parseChallenges("Bearer __proto__=x");
    expect(Object.entries(challenge?.parameters ?? {})).toEqual([["__proto__", "x"]]);
  });

  test("are 16 at most, with 32 parameters each, of 16,384 characters", () => {
    expect(parseChallenges("A, ".repeat(17))).toHaveLength(16);
    const many = Array.from({ length: 33 }, (_, index) => `p${index}=1`).join(", ");
    expect(Object.keys(parseChallenges(`Bearer ${many}`)[0]?.parameters ?? {})).toHaveLength(32);
    expect(parseChallenges(`${" ".repeat(16_384)}Bearer`)).toEqual([]);
  });

  test("come of any text without an error", () => {
    const hostile = fc.array(fc.constantFrom(...'Bb =,\t"\\;@é\n\0', "Bearer ", 'a="', "a=b"), { maxLength: 60 });
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          hostile.map((parts) => parts.join("")),
        ),
        (header) => {
          const found = parseChallenges(header);
          const names = found.flatMap(({ scheme, parameters }) => [scheme, ...Object.keys(parameters)]);
          expect(names).toEqual(names.map((name) => name.toLowerCase()));
        },
      ),
    );
  });
});

describe("a serialized challenge", () => {
  const token = fc.string({ unit: fc.constantFrom(..."abcxyz019-_"), minLength: 1, maxLength: 12 });
  const value = fc.string({ unit: "grapheme-ascii" });

  test("is read back as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(token, fc.dictionary(token, value, { maxKeys: 5 })), { maxLength: 4 }), (given) => {
        const header = given.map(([scheme, parameters]) => serializeChallenge(scheme, parameters)).join(", ");
        expect(parseChallenges(header)).toEqual(given.map(([scheme, parameters]) => ({ scheme, parameters })));
      }),
    );
  });

  test("leaves out parameters without a value", () => {
    expect(serializeChallenge("Bearer", { error: undefined, scope: "a" })).toBe('Bearer scope="a"');
    expect(serializeChallenge("Bearer", { error: undefined })).toBe("Bearer");
  });

  test("lets no text break out of its header", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const header = serializeChallenge("Bearer", { error_description: text });
        expect(new Headers({ "www-authenticate": header }).get("www-authenticate")).toBe(header);
        expect(parseChallenges(header)).toHaveLength(1);
      }),
    );
  });
});
