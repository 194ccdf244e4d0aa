import { describe, expect, test } from "vitest";
import { missingCapabilities, requiredCapabilities, rootsComplaint } from "./answer-rules.js";
import type { ClientCapabilities } from "./capabilities.js";
import type { ElicitSchema } from "./elicitation.js";
import type { InputRequest } from "./input-required.js";
import { REVISIONS, type Revision } from "./revisions.js";
import type { CreateMessageParams } from "./sampling.js";

describe("roots", () => {
  const complaint = (...uris: string[]) => rootsComplaint({ roots: uris.map((uri) => ({ uri })) });

  test("are files and directories", () => {
    expect(complaint()).toBeUndefined();
    expect(complaint("file:///srv/data", "FILE:///C:/x", "file:///a..b/..c/d..", "file:///a/...")).toBeUndefined();
  });

  test.each(["https://example.com/", "file", "/home", "file:/home", "", "file://%%/x", "files:///x"])(
    "are not %j",
    (uri) => {
      expect(complaint("file:///ok", uri)).toBe("roots[1].uri: must be a file:// URI");
    },
  );

  test.each(["file:///a/../b", "file:///a/..", "file:///a/%2E%2e/b", "file:///a%2f..%5Cb", "file:///a/..?q"])(
    "do not lead out of themselves as %s does",
    (uri) => {
      expect(complaint(uri)).toBe('roots[0].uri: must not contain ".." segments');
    },
  );
});

describe("capabilities", () => {
  const requestedSchema: ElicitSchema = { type: "object", properties: {} };
  const sampling = (params: Partial<CreateMessageParams>): InputRequest => ({
    method: "sampling/createMessage",
    params: { messages: [], maxTokens: 1, ...params },
  });

  test.each<[InputRequest, ClientCapabilities]>([
    [{ method: "elicitation/create", params: { message: "m", requestedSchema } }, { elicitation: { form: {} } }],
    [
      { method: "elicitation/create", params: { mode: "form", message: "m", requestedSchema } },
      { elicitation: { form: {} } },
    ],
    [{ method: "elicitation/create", params: { mode: "url", message: "m", url: "u:" } }, { elicitation: { url: {} } }],
    [{ method: "roots/list" }, { roots: {} }],
    [sampling({}), { sampling: {} }],
    [sampling({ includeContext: "none" }), { sampling: {} }],
    [sampling({ tools: [] }), { sampling: { tools: {} } }],
    [sampling({ toolChoice: {} }), { sampling: { tools: {} } }],
    [sampling({ tools: [], includeContext: "thisServer" }), { sampling: { tools: {}, context: {} } }],
  ])("needed for %j", (request, expected) => {
    expect(requiredCapabilities(request, "2026-07-28")).toEqual(expected);
  });

  test("say something about context since 2025-11-25, and only to who asks", () => {
    const request = sampling({ includeContext: "allServers" });
    const capability = (revision: Revision) => requiredCapabilities(request, revision).sampling;
    for (const revision of REVISIONS) {
      expect(capability(revision), revision).toEqual(revision < "2025-11-25" ? {} : { context: {} });
    }
    expect(requiredCapabilities(request)).toEqual({ sampling: {} });
  });

  const form = { elicitation: { form: {} } };
  const url = { elicitation: { url: {} } };
  test.each<[ClientCapabilities, ClientCapabilities, ClientCapabilities | undefined]>([
    [form, {}, form],
    [form, { elicitation: {} }, undefined],
    [form, form, undefined],
    [form, url, form],
    [url, { elicitation: {} }, url],
    [url, { elicitation: { form: {}, url: {} } }, undefined],
    [{ elicitation: {} }, url, undefined],
    [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {} } }, { sampling: { context: {} } }],
    [{ sampling: undefined, roots: { listChanged: true } }, { roots: {} }, { roots: { listChanged: true } }],
    [{ roots: { listChanged: true } }, { roots: { listChanged: false } }, undefined],
    [{ sampling: undefined }, {}, undefined],
    [{}, {}, undefined],
  ])("of %j, with %j declared, lack %j", (required, declared, missing) => {
    expect(missingCapabilities(required, declared)).toEqual(missing);
  });

  test("are not inherited", () => {
    const extensions = JSON.parse('{ "constructor": {}, "toString": {} }');
    expect(missingCapabilities({ extensions }, { extensions: {} })).toEqual({ extensions });
  });
});
