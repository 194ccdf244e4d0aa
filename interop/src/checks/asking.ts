/** Questions of a server to its client: requests of its own in the legacy era, rounds of the call in the modern one. */
import type { Exhibit } from "../exhibit.js";
import { type Check, expectText } from "./trial.js";

function asks(which: "asking" | "askingUrl" | "sampling" | "roots" | "rounds"): Check {
  return async ({ client, exhibit }) => {
    const { tool, args, text }: Exhibit[typeof which] = exhibit[which];
    expectText(await client.callTool(tool, args), text);
  };
}

export const elicitation: Check = asks("asking");
export const urlElicitation: Check = asks("askingUrl");
export const sampling: Check = asks("sampling");
export const roots: Check = asks("roots");
export const inputRounds: Check = asks("rounds");
