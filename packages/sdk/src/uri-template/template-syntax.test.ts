import { describe, expect, test } from "vitest";
import { SdkError } from "../errors/sdk-error.js";
import { parseTemplate } from "./uri-template.js";

describe("parseTemplate", () => {
  test.each([
    ["a{b", 1, '"{" without "}"'],
    ["a}b", 1, '"}" cannot stand in a literal'],
    ["x y", 1, '" " cannot stand in a literal'],
    ["x%zz", 1, '"%" cannot stand in a literal'],
    ["{a}<", 3, '"<" cannot stand in a literal'],
    ["x/{}", 3, 'expected a variable name, got ""'],
    ["{a,}", 3, 'expected a variable name, got ""'],
    ["{a,b c}", 3, 'expected a variable name, got "b c"'],
    ["{a:0}", 1, 'got "a:0"'],
    ["{a:10000}", 1, 'got "a:10000"'],
    ["{a*:3}", 1, 'got "a*:3"'],
    ["{?a{b}}", 2, 'got "a{b"'],
    ["{=a}", 1, '"=" is no operator'],
    ["{|a}", 1, '"|" is no operator'],
  ])("refuses %j at position %d", (text, position, problem) => {
    const parse = () => parseTemplate(text);
    expect(parse).toThrow(SdkError);
    expect(parse).toThrow(expect.objectContaining({ code: "invalid-argument" }));
    expect(parse).toThrow(`URI template "${text}", position ${position}: `);
    expect(parse).toThrow(problem);
  });

  test("lists each variable once, in order", () => {
    const template = parseTemplate("x://{b}/{+a.b}{?c*,d:3,b}{&%41}");
    expect(template.variables).toEqual(["b", "a.b", "c", "d", "%41"]);
    expect(template.text).toBe("x://{b}/{+a.b}{?c*,d:3,b}{&%41}");
  });

  test("takes a template without variables", () => {
    expect(parseTemplate("").variables).toEqual([]);
    expect(parseTemplate("").match("")).toEqual({});
    expect(parseTemplate("config://app").match("config://app")).toEqual({});
    expect(parseTemplate("config://app").match("config://apps")).toBeUndefined();
  });

  test("bounds the length of templates", () => {
    expect(() => parseTemplate("a".repeat(4096))).not.toThrow();
    expect(() => parseTemplate("a".repeat(4097))).toThrow("URI template of 4097 characters; at most 4096 are allowed");
    expect(() => parseTemplate("abc", { maxTemplateLength: 2 })).toThrow("at most 2");
  });
});
