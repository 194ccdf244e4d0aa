/** What the official clients answer when a played server asks, and how they log in. */
import { randomUUID } from "node:crypto";
import { MemoryProvider } from "../authorization/official-login.js";

export const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The forms of the checker ask for a city. */
export const FILLED_FORM = { action: "accept" as const, content: { city: "Paris" } };

export const SAMPLED = {
  role: "assistant" as const,
  model: "none",
  content: { type: "text" as const, text: "sampled" },
};

export const ROOTS = { roots: [{ uri: "file:///somewhere" }] };

/** The played authorization servers redirect at once. */
const redirectBrowser = {
  async logIn(url: URL): Promise<{ url: URL; text: string }> {
    const { headers } = await fetch(url, { redirect: "manual" });
    return { url: new URL(headers.get("location") ?? ""), text: "" };
  },
};

/** The application's part of a login: a state, and its comparison. */
export class CheckedProvider<Registration, Tokens, Discovery> extends MemoryProvider<Registration, Tokens, Discovery> {
  /** The id of the client, if it is the URL of a document. */
  readonly clientMetadataUrl?: string;
  #state = "";

  constructor(clientMetadataUrl: string | undefined) {
    super(redirectBrowser);
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state(): string {
    this.#state = randomUUID();
    return this.#state;
  }

  /** @throws {Error} if the response is to another request. */
  checkedAnswer(): URLSearchParams {
    if (this.answer.get("state") !== this.#state) throw new Error("The response has another state");
    return this.answer;
  }
}
