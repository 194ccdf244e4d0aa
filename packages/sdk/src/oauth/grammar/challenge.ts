/**
 * Parses and serializes challenges of `WWW-Authenticate` (RFC 9110, section 11). The parser takes linear time and never throws:
 * it skips a malformed part up to the next comma. It accepts unquoted URLs, which the grammar excludes but servers send.
 */
export interface Challenge {
  /** The scheme in lower case. */
  readonly scheme: string;
  /** The parameters by their names in lower case. The first of a repeated parameter counts. */
  readonly parameters: Readonly<Record<string, string>>;
}

const MAX_CHARACTERS = 16_384;
const MAX_CHALLENGES = 16;
const MAX_PARAMETERS = 32;

const SEPARATORS = /[ \t,]*/y;
const SPACE = /[ \t]*/y;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const UNQUOTED = /[^ \t,"]+/y;
/** Matches up to the next comma outside of a quoted string. */
const REST = /(?:[^,"]|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$))*/y;
/** Matches spaces before a parameter: some servers separate parameters without commas. */
const PARAMETER_FOLLOWS = /[ \t]+(?=[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*=)/y;

interface OpenChallenge {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

/** The challenges of a header in their order. Several headers may be joined with commas. */
export function parseChallenges(header: string): Challenge[] {
  const text = new Scanner(header.slice(0, MAX_CHARACTERS));
  const challenges: OpenChallenge[] = [];
  while (true) {
    text.take(SEPARATORS);
    if (text.isAtEnd) break;
    const name = text.take(TOKEN)?.[0].toLowerCase();
    if (name === undefined) text.take(REST);
    else if (text.take(EQUALS)) addParameter(challenges.at(-1), name, text);
    else if (challenges.length === MAX_CHALLENGES) break;
    else challenges.push(openChallenge(name, text));
  }
  return challenges.map(({ scheme, parameters }) => ({ scheme, parameters: Object.fromEntries(parameters) }));
}

/** Reads the text between a scheme and the next comma: a token68, which OAuth does not use and which is dropped, or a parameter. */
function openChallenge(scheme: string, text: Scanner): OpenChallenge {
  const challenge: OpenChallenge = { scheme, parameters: new Map() };
  text.take(SPACE);
  if (text.take(TOKEN68)) return challenge;
  const name = text.take(TOKEN)?.[0].toLowerCase();
  if (name !== undefined && text.take(EQUALS)) addParameter(challenge, name, text);
  else text.take(REST);
  return challenge;
}

function addParameter(challenge: OpenChallenge | undefined, name: string, text: Scanner): void {
  const value = text.take(QUOTED)?.[1]?.replace(/\\([\s\S])/g, "$1") ?? text.take(UNQUOTED)?.[0];
  if (!text.take(PARAMETER_FOLLOWS)) text.take(REST);
  const parameters = challenge?.parameters;
  if (value === undefined || parameters === undefined || parameters.size === MAX_PARAMETERS) return;
  if (!parameters.has(name)) parameters.set(name, value);
}

class Scanner {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#text.length;
  }

  /** Consumes and returns the match of a sticky pattern at the current position. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#position = pattern.lastIndex;
    return match;
  }
}

/**
 * Serializes a challenge with quoted parameters. Undefined parameters are omitted. A question mark replaces each character that
 * a header cannot carry.
 */
export function serializeChallenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${quotable(value)}"`],
  );
  return written.length === 0 ? scheme : `${scheme} ${written.join(", ")}`;
}

function quotable(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, "?").replace(/["\\]/g, "\\$&");
}
