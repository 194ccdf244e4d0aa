/** Exchanges as they are shown: shortened, and without secrets. */
import { type Answer, shorten } from "../target/answer.js";
import type { Evidence } from "./report.js";

const MAX_EXCHANGES = 4;
const MAX_TEXT = 1500;

/** Header values that are never shown, wherever they come from. */
const SECRET_HEADERS = /^(authorization|cookie|set-cookie|proxy-authorization|dpop|x-api-key):.*$/gim;

/** Session ids open a session, so only their beginning is shown. */
const SESSION_HEADER = /^(mcp-session-id: .{4}).*$/gim;

export type Mask = (text: string) => string;

/** Hides given secrets, and headers that hold secrets. */
export function maskFor(secrets: readonly string[]): Mask {
  const known = secrets.filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  return (text) => {
    const masked = known.reduce((masking, secret) => masking.replaceAll(secret, "***"), text);
    return masked.replace(SECRET_HEADERS, "$1: ***").replace(SESSION_HEADER, "$1***");
  };
}

/** The last exchanges of a check. */
export function evidenceOf(answers: readonly Answer[], mask: Mask): Evidence[] {
  return answers.slice(-MAX_EXCHANGES).map((answer) => ({
    sent: shorten(mask(answer.sent), MAX_TEXT),
    received: shorten(mask(answer.received || `(${answer.problem ?? "nothing"})`), MAX_TEXT),
  }));
}
