/**
 * The client under test: plays the scenario that the referee names in the environment, against the URL it gives as the
 * last argument. Says when it got to the end, since the referee does not count a client that crashes on the way.
 */
import { isRevision } from "parley-mcp/types";
import { FINISHED } from "../finished.js";
import { scenarios } from "./scenarios.js";

const url = process.argv.at(-1) ?? "";
const { MCP_CONFORMANCE_SCENARIO: name = "", MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
const { MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;

const play = scenarios[name];
if (!play || !isRevision(revision)) {
  console.error(`This client does not know the scenario "${name}" of ${revision}`);
  process.exit(2);
}
await play({ url, revision, context: JSON.parse(context) });
console.log(FINISHED);
