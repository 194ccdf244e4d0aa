/** Serves a folder of skills over stdio and follows its changes: `node examples/dist/skill-server.js <folder>`. */
import { serveStdio } from "parley-mcp/node";
import { McpServer } from "parley-mcp/server";
import { serveSkillFolder } from "parley-mcp/skills/node";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Name the folder of your skills: skill-server.js <folder>");
  process.exit(1);
}

const server = new McpServer({ name: "handbook", version: "1.0.0" });
const served = await serveSkillFolder(server, { folder }).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const { closed } = await serveStdio(server);
console.error(`${served.uris.length} skills of ${folder} are served`);

// The client closes stdin when it is done.
await closed;
served.close();
