/**
 * A server over stdio, for clients that start it themselves: the desk that `npm start` serves over HTTP. Stdout belongs
 * to the protocol, so what this program has to say goes to stderr. What is printed by mistake is sent there as well.
 */
import { serveStdio } from "parley-mcp/node";
import { createDeskServer } from "./desk/desk-server.js";

const { server, stop } = createDeskServer();
const { closed } = await serveStdio(server);

if (process.stdin.isTTY) {
  console.error("This program waits for an MCP client on its standard input. Tell your client to run it:");
  console.error(`  ${process.execPath} ${process.argv[1]}`);
}

console.error("The desk is ready");

// The client closes stdin when it is done.
await closed;
stop();
console.error("The desk is closed");
