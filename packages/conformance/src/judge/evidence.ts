/** Exchanges as they are shown: shortened, without secrets, and without characters that control a terminal. */
import { type Answer, shorten } from "../target/answer.js";
import { maskShortened } from "../target/secrets.js";
import type { Evidence } from "./report.js";

const MAX_EXCHANGES = 4;
const MAX_TEXT = 1500;

/** Header values that are never shown, wherever they come from. */
const SECRET_HEADERS = /^(authorization|cookie|set-cookie|proxy-authorization|dpop|x-api-key):.*$/gim;

/** Session ids open a session, so only their beginning is shown. */
const SESSION_HEADER = /^(mcp-session-id: .{4}).*$/gim;

/** Shorter values, such as `1`, occur in every text. */
const MIN_SECRET_CHARACTERS = 4;

/** Makes a text fit to show. */
export type Mask = (text: string) => string;

/** Hides given secrets and headers that hold secrets, and writes control characters as escapes. */
export function maskFor(secrets: readonly string[]): Mask {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS);
  return (text) =>
    escapeControls(maskShortened(text, known).replace(SECRET_HEADERS, "$1: ***").replace(SESSION_HEADER, "$1***"));
}

/** A terminal obeys escape sequences, and XML cannot hold control characters. */
export function escapeControls(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\ufffe\uffff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The last exchanges of a check. */
export function evidenceOf(answers: readonly Answer[], mask: Mask): Evidence[] {
  return answers.slice(-MAX_EXCHANGES).map((answer) => ({
    sent: shorten(mask(answer.sent), MAX_TEXT),
    received: shorten(mask(answer.received || `(${answer.problem ?? "nothing"})`), MAX_TEXT),
  }));
}
