/** The official v1 server over standard input and output. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { HungCalls } from "../exhibit.js";
import { officialV1Server } from "./official-v1-definition.js";

const hung = new HungCalls();
await officialV1Server(hung).connect(new StdioServerTransport());
