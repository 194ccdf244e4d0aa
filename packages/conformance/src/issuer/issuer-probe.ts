/** What a check of an authorization server may do: read its metadata, register one client, and send requests that fail. */
import { notApplicable, notObserved, want } from "../judge/expectations.js";
import type { Evidence } from "../judge/report.js";
import { shorten } from "../target/answer.js";
import {
  exchangeHttp,
  type HttpExchangeRequest,
  type HttpOutcome,
  type Limits,
  type SendHttp,
} from "../wire/http-exchange.js";
import { isObject, type JsonObject, parseJson } from "../wire/json-rpc.js";

/** Sends requests to one URL. Tests send to a function. */
export type SendTo = (url: URL) => SendHttp;

/** The redirect URI of the client that the checker registers. Nothing is ever served there. */
export const OWN_REDIRECT = "https://parley-check.example/callback";
export const FOREIGN_REDIRECT = "https://attacker.parley-check.example/callback";

/** The challenge of a verifier that the checker never uses. */
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export interface Fetched extends HttpOutcome {
  readonly json: unknown;
}

export class IssuerProbe {
  readonly issuer: string;
  readonly #sendTo: SendTo;
  readonly #limits: Limits;
  #evidence: Evidence[] = [];
  #places: Promise<readonly Place[]> | undefined;
  #client: Promise<string | undefined> | undefined;

  constructor(issuer: string, sendTo: SendTo, limits: Limits) {
    this.issuer = issuer;
    this.#sendTo = sendTo;
    this.#limits = limits;
  }

  /** The exchanges since the last call. */
  takeEvidence(): Evidence[] {
    const taken = this.#evidence;
    this.#evidence = [];
    return taken;
  }

  async fetch(url: string, call: Partial<HttpExchangeRequest> = {}): Promise<Fetched> {
    if (!URL.canParse(url)) notObserved(`"${shorten(url, 120)}" is no URL`);
    const whole: HttpExchangeRequest = { verb: "GET", headers: { Accept: "application/json" }, ...call };
    const outcome = await exchangeHttp(this.#sendTo(new URL(url)), whole, this.#limits);
    this.#evidence.push({
      sent: `${whole.verb} ${url}\n${whole.body ?? ""}`.trim(),
      received: [
        `HTTP ${outcome.status ?? `none: ${outcome.reason ?? outcome.ending}`}`,
        headerLines(outcome),
        outcome.text,
      ]
        .join("\n")
        .trim(),
    });
    return { ...outcome, json: parseJson(outcome.text) };
  }

  /** The well-known places of the issuer, in the order in which clients ask them. */
  places(): Promise<readonly Place[]> {
    this.#places ??= this.#readPlaces();
    return this.#places;
  }

  /** The metadata that a client would use. */
  async metadata(): Promise<JsonObject> {
    const found = (await this.places()).find(({ fetched }) => fetched.status === 200 && isObject(fetched.json));
    return found ? (found.fetched.json as JsonObject) : notObserved("the issuer serves no metadata");
  }

  async endpoint(name: string): Promise<string> {
    const value = (await this.metadata())[name];
    return typeof value === "string" ? value : notApplicable(`the metadata has no ${name}`);
  }

  register(metadata: JsonObject): Promise<Fetched> {
    return this.endpoint("registration_endpoint").then((url) =>
      this.fetch(url, {
        verb: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify({ client_name: "parley-check", token_endpoint_auth_method: "none", ...metadata }),
      }),
    );
  }

  /** The id of a client with `OWN_REDIRECT`. It is registered once in a run. */
  async client(): Promise<string> {
    this.#client ??= this.register({ redirect_uris: [OWN_REDIRECT] }).then(({ json }) =>
      isObject(json) && typeof json.client_id === "string" ? json.client_id : undefined,
    );
    return (await this.#client) ?? notObserved("the server registers no client of the checker");
  }

  /** An authorization request, with changes to a right one. `undefined` leaves a parameter out. */
  async authorize(changes: Readonly<Record<string, string | undefined>>): Promise<Fetched> {
    const endpoint = await this.endpoint("authorization_endpoint");
    if (!URL.canParse(endpoint)) notObserved(`"${shorten(endpoint, 120)}" is no URL`);
    const url = new URL(endpoint);
    const params: Record<string, string | undefined> = {
      response_type: "code",
      redirect_uri: OWN_REDIRECT,
      state: "parley-check-state",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      ...changes,
    };
    for (const [name, value] of Object.entries(params)) if (value !== undefined) url.searchParams.set(name, value);
    return this.fetch(url.href, { headers: { Accept: "text/html" } });
  }

  async token(params: Readonly<Record<string, string>>): Promise<Fetched> {
    return this.fetch(await this.endpoint("token_endpoint"), {
      verb: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
      body: new URLSearchParams(params).toString(),
    });
  }

  async #readPlaces(): Promise<Place[]> {
    const read: Place[] = [];
    for (const url of wellKnownPlaces(this.issuer)) read.push({ url, fetched: await this.fetch(url) });
    return read;
  }
}

export interface Place {
  readonly url: string;
  readonly fetched: Fetched;
}

/** The places of RFC 8414 and of OpenID Connect. */
function wellKnownPlaces(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

function headerLines({ headers }: HttpOutcome): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

/** Where an answer sends the browser. */
export function locationOf({ status, headers }: Fetched): URL | undefined {
  const { location } = headers;
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  return isRedirect && location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
}

export function describeFetched({ status, ending, reason, headers, text }: Fetched): string {
  if (status === undefined) return reason ?? ending;
  return [`HTTP ${status}`, headers.location ?? shorten(text, 120)].join(", ");
}

export function wantFetched(isRight: boolean, expected: string, fetched: Fetched): void {
  want(isRight, expected, describeFetched(fetched));
}
