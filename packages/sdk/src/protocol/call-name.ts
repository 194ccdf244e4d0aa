/** The name of a call in error messages: the method, and the tool, prompt or resource. */
import { shorten } from "../runtime/shorten.js";

/** `tools/call "deploy"`; the method alone for a call without a subject. */
export function callName(method: string, subject: string | undefined): string {
  if (subject === undefined) return method;
  return `${method} ${JSON.stringify(shorten(subject))}`;
}
