/** The official v2 server over standard input and output, in either era. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { HungCalls } from "../exhibit.js";
import { officialV2Server } from "./official-v2-definition.js";

const hung = new HungCalls();
serveStdio(() => officialV2Server(hung));
