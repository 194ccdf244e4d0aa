/** The tools of `--call` that a server does not list. */
import type { Offer } from "../judge/offer.js";
import { resultOf } from "../target/answer.js";

export class UnlistedCalls {
  readonly #read = new Set<string>();
  readonly #missing = new Map<string, string[]>();

  /** Looks for the calls in one revision. A list that could not be read to its end says nothing. */
  look(calls: readonly { readonly name: string }[], revision: string, { listings, tools }: Offer): void {
    const results = listings.tools.pages.map(resultOf);
    if (results.includes(undefined) || results.at(-1)?.nextCursor !== undefined) return;
    this.#read.add(revision);
    for (const name of new Set(calls.map((call) => call.name))) {
      if (tools.some((tool) => tool.name === name)) continue;
      this.#missing.set(name, [...(this.#missing.get(name) ?? []), revision]);
    }
  }

  /** A sentence for each tool, with the revisions in which it is missing. */
  complaints(): string[] {
    return [...this.#missing].map(
      ([name, revisions]) => `--call ${name}: the server lists no such tool in ${revisions.join(", ")}`,
    );
  }

  /** Whether no revision lists one of the tools. */
  get isCallUseless(): boolean {
    return [...this.#missing.values()].some((revisions) => revisions.length === this.#read.size);
  }
}
