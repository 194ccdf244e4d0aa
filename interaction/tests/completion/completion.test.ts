import { type Completer, McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { z } from "zod";
import { verifies } from "../../src/verifies.js";

const unused = (): never => {
  throw new Error("nothing gets or reads it");
};

const suggestNothing: Completer = () => [];

verifies(
  "completion:capability:declared",
  "completers of a prompt or a template make a server announce completions, and nothing else does",
  async ({ connect }) => {
    const input = z.object({ name: z.string() });
    const byPrompt = new McpServer({ name: "by-prompt", version: "1.0.0" });
    byPrompt.prompt("greet", { input, complete: { name: suggestNothing } }, unused);
    const byTemplate = new McpServer({ name: "by-template", version: "1.0.0" });
    byTemplate.resourceTemplate("files://{name}", { name: "files", complete: { name: suggestNothing } }, unused);
    const byNeither = new McpServer({ name: "by-neither", version: "1.0.0" });
    byNeither.prompt("greet", { input }, unused);
    byNeither.prompt("thank", { input, complete: {} }, unused);
    byNeither.resourceTemplate("files://{name}", { name: "files", complete: {} }, unused);

    const clients = await Promise.all([connect(byPrompt), connect(byTemplate), connect(byNeither)]);

    const announced = clients.map(({ serverCapabilities }) => Object.keys(serverCapabilities ?? {}).sort());
    expect(announced).toEqual([
      ["completions", "prompts"],
      ["completions", "resources"],
      ["prompts", "resources"],
    ]);
  },
);

verifies(
  "completion:capability:not-yet",
  "a server announces no completions before the capability exists, and a strict client gets suggestions all the same",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    const complete = { name: (typed: string) => [`${typed}da`] };
    server.prompt("greet", { input: z.object({ name: z.string() }), complete }, unused);
    const client = await connect(server, { strictCapabilities: true });

    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "name", value: "A" },
    });

    expect(Object.keys(client.serverCapabilities ?? {})).toEqual(["prompts"]);
    expect(completion).toEqual({ values: ["Ada"] });
  },
);

verifies(
  "completion:complete:not-supported",
  "a server in which nothing has suggestions answers -32601",
  async ({ connect }) => {
    const server = new McpServer({ name: "polite", version: "1.0.0" });
    server.prompt("greet", { input: z.object({ name: z.string() }) }, unused);
    const client = await connect(server);

    const asked = client.complete({
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "name", value: "A" },
    });

    await expect(asked).rejects.toMatchObject({
      name: "ProtocolError",
      code: -32601,
      message: expect.stringContaining("completion/complete"),
    });
  },
);

verifies(
  "completion:prompt-arg",
  "a typed value reaches the completer of the prompt's argument, and its suggestions come back",
  async ({ connect }) => {
    const server = new McpServer({ name: "reviewer", version: "1.0.0" });
    const languages = ["python", "perl", "ruby"];
    server.prompt(
      "review",
      {
        input: z.object({ language: z.string(), focus: z.string() }),
        complete: {
          language: async (typed) => languages.filter((language) => language.startsWith(typed)),
          focus: unused,
        },
      },
      unused,
    );
    const client = await connect(server);

    const ref = { type: "ref/prompt", name: "review" } as const;
    const some = await client.complete({ ref, argument: { name: "language", value: "p" } });
    const all = await client.complete({ ref, argument: { name: "language", value: "" } });

    expect(some.completion).toEqual({ values: ["python", "perl"] });
    expect(all.completion).toEqual({ values: languages });
  },
);

verifies(
  "completion:resource-template-arg",
  "a typed value reaches the completer of the template's variable, and its suggestions come back",
  async ({ connect }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    const folders = ["src", "scripts", "docs"];
    const startingWith = (typed: string) => folders.filter((folder) => folder.startsWith(typed));
    const complete = { folder: startingWith, file: unused };
    server.resourceTemplate("files://{folder}/{file}", { name: "file", complete }, unused);
    const client = await connect(server);

    const ref = { type: "ref/resource", uri: "files://{folder}/{file}" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "folder", value: "s" } });

    expect(completion).toEqual({ values: ["src", "scripts"] });
  },
);

verifies(
  "completion:context-arguments",
  "the arguments settled before reach the completer, and none where none were",
  async ({ connect }) => {
    const server = new McpServer({ name: "reviewer", version: "1.0.0" });
    const tellSettled: Completer = (typed, settled) => [typed, JSON.stringify(settled.arguments)];
    const input = z.object({ language: z.string(), framework: z.string() });
    server.prompt("review", { input, complete: { framework: tellSettled } }, unused);
    server.resourceTemplate(
      "docs://{language}/{framework}",
      { name: "docs", complete: { framework: tellSettled } },
      unused,
    );
    const client = await connect(server);

    const settled = { arguments: { language: "python", other: "" } };
    const argument = { name: "framework", value: "fla" };
    for (const ref of [
      { type: "ref/prompt", name: "review" } as const,
      { type: "ref/resource", uri: "docs://{language}/{framework}" } as const,
    ]) {
      const given = await client.complete({ ref, argument, context: settled });
      const none = await client.complete({ ref, argument });
      expect(given.completion.values).toEqual(["fla", JSON.stringify(settled.arguments)]);
      expect(none.completion.values).toEqual(["fla", "{}"]);
    }
  },
);

verifies(
  "completion:result-shape",
  "a hundred values are sent whole; of more, the first hundred with their number and hasMore",
  async ({ connect }) => {
    const server = new McpServer({ name: "counter", version: "1.0.0" });
    const values = Array.from({ length: 150 }, (_, index) => `value ${149 - index}`);
    const complete = {
      hundred: () => values.slice(0, 100),
      many: () => values,
      counted: () => ({ values, total: 9_000 }),
      own: () => ({ values: ["one"], total: 2, hasMore: true }),
    };
    const input = z.object({ hundred: z.string(), many: z.string(), counted: z.string(), own: z.string() });
    server.prompt("count", { input, complete }, unused);
    const client = await connect(server);

    const ask = async (name: string) =>
      (await client.complete({ ref: { type: "ref/prompt", name: "count" }, argument: { name, value: "" } })).completion;

    const first = values.slice(0, 100);
    expect(await ask("hundred")).toEqual({ values: first });
    expect(await ask("many")).toEqual({ values: first, total: 150, hasMore: true });
    expect(await ask("counted")).toEqual({ values: first, total: 9_000, hasMore: true });
    expect(await ask("own")).toEqual({ values: ["one"], total: 2, hasMore: true });
  },
);

verifies(
  "completion:no-completer",
  "an argument and a variable without completer get no suggestions and no error",
  async ({ connect }) => {
    const server = new McpServer({ name: "reviewer", version: "1.0.0" });
    const input = z.object({ language: z.string(), focus: z.string() });
    server.prompt("review", { input, complete: { language: unused } }, unused);
    server.prompt("plain", { input }, unused);
    server.resourceTemplate("docs://{language}/{focus}", { name: "docs" }, unused);
    const client = await connect(server);

    const results = await Promise.all([
      client.complete({ ref: { type: "ref/prompt", name: "review" }, argument: { name: "focus", value: "s" } }),
      client.complete({ ref: { type: "ref/prompt", name: "plain" }, argument: { name: "language", value: "" } }),
      client.complete({
        ref: { type: "ref/resource", uri: "docs://{language}/{focus}" },
        argument: { name: "focus", value: "s" },
      }),
    ]);

    const none = { values: [] };
    expect(results.map(({ completion }) => completion)).toEqual([none, none, none]);
  },
);

verifies(
  "completion:error:invalid-ref",
  "an unknown prompt, template, argument or variable is -32602 and named",
  async ({ connect }) => {
    const server = new McpServer({ name: "reviewer", version: "1.0.0" });
    server.prompt("review", { input: z.object({ language: z.string() }), complete: { language: unused } }, unused);
    server.resourceTemplate("docs://{page}", { name: "docs", complete: { page: unused } }, unused);
    const client = await connect(server);

    const review = { type: "ref/prompt", name: "review" } as const;
    const docs = { type: "ref/resource", uri: "docs://{page}" } as const;
    const refused = [
      [{ type: "ref/prompt", name: "nowhere" }, "language", "nowhere"],
      [{ type: "ref/resource", uri: "nowhere://{page}" }, "page", "nowhere://{page}"],
      [review, "page", "page"],
      [docs, "language", "language"],
      [review, "constructor", "constructor"],
    ] as const;
    for (const [ref, name, named] of refused) {
      const message = expect.stringContaining(named);
      await expect(client.complete({ ref, argument: { name, value: "" } })).rejects.toMatchObject({
        code: -32602,
        message,
      });
    }
  },
);

verifies(
  "completion:error:malformed",
  "a request without reference or argument, or with half of one, is -32602 with the path",
  async ({ openClient, params }) => {
    const server = new McpServer({ name: "reviewer", version: "1.0.0" });
    server.prompt("review", { input: z.object({ language: z.string() }), complete: { language: unused } }, unused);
    const peer = await openClient(server);

    const ref = { type: "ref/prompt", name: "review" };
    const argument = { name: "language", value: "" };
    const malformed = [
      [{ argument }, "params.ref"],
      [{ ref }, "params.argument"],
      [{ ref: { type: "ref/prompt" }, argument }, "params.ref.name"],
      [{ ref: { type: "ref/resource", name: "review" }, argument }, "params.ref.uri"],
      [{ ref: { type: "ref/tool", name: "review" }, argument }, "params.ref.type"],
      [{ ref, argument: { name: "language" } }, "params.argument.value"],
      [{ ref, argument: { name: 7, value: "" } }, "params.argument.name"],
    ] as const;
    for (const [index, [own, path]] of malformed.entries()) {
      const answer = await peer.request(index, "completion/complete", params(own));
      expect(answer).toMatchObject({ id: index, error: { code: -32602, message: expect.stringContaining(path) } });
    }
  },
);
