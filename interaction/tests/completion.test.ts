import { McpServer } from "parley-mcp/server";
import { expect } from "vitest";
import { verifies } from "../src/verifies.js";

verifies(
  "completion:resource-template-arg",
  "what was typed reaches the completer, and its suggestions come back",
  async ({ connect }) => {
    const server = new McpServer({ name: "files", version: "1.0.0" });
    const folders = ["src", "scripts", "docs"];
    const complete = { folder: (typed: string) => folders.filter((folder) => folder.startsWith(typed)) };
    server.resourceTemplate("files://{folder}", { name: "folder", complete }, () => {
      throw new Error("nothing reads it");
    });
    const client = await connect(server);

    const ref = { type: "ref/resource", uri: "files://{folder}" } as const;
    const { completion } = await client.complete(ref, { name: "folder", value: "s" });

    expect(completion.values).toEqual(["src", "scripts"]);
  },
);
