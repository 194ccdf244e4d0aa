/** How common clients are told of a server: what to type, or what to put into which file. */

export interface Recipe {
  readonly client: string;
  readonly where: string;
  readonly text: string;
}

export interface Addresses {
  /** Where the server listens. */
  readonly url: string;
  /** A program that serves the same over stdio. */
  readonly stdioProgram: string;
}

export function recipes({ url, stdioProgram }: Addresses): Recipe[] {
  return [
    { client: "Claude Code", where: "in a terminal", text: `claude mcp add --transport http desk ${url}` },
    {
      client: "Claude Desktop",
      where: "in claude_desktop_config.json, over stdio",
      text: json({ mcpServers: { desk: { command: "node", args: [stdioProgram] } } }),
    },
    { client: "VS Code", where: "in .vscode/mcp.json", text: json({ servers: { desk: { type: "http", url } } }) },
    { client: "Cursor", where: "in .cursor/mcp.json", text: json({ mcpServers: { desk: { url } } }) },
    {
      client: "MCP Inspector",
      where: "in a terminal",
      text: `npx @modelcontextprotocol/inspector --cli ${url} --transport http --method tools/list`,
    },
    {
      client: "Parley",
      where: "in a program of your own",
      text: `import { Client } from "parley-mcp/client";

const client = await Client.connect("${url}", {
  name: "me",
  version: "1.0.0",
});
console.log((await client.callTool("find_notes")).content);
await client.close();`,
    },
  ];
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
