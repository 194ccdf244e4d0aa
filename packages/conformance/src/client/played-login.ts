/** A protected server and its authorization server, which agrees to every login at once. */
import type { PlayedReply } from "../wire/http-listener.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { empty } from "./replies.js";
import type { Script } from "./scenario.js";
import type { Sighting } from "./sighting.js";
import type { Stage } from "./stage.js";

/** How a login differs from a plain one. */
export interface LoginTwist {
  /** Where the resource metadata is. The challenge names it only at `challenge`. */
  readonly resourceMetadataAt?: "challenge" | "path" | "root";
  /** Members of the resource metadata. */
  readonly resourceMetadata?: (stage: Stage) => JsonObject;
  /** Further params of the challenge. */
  readonly challenge?: string;
  /** The path of the issuer. */
  readonly issuerPath?: string;
  /** The only path at which the metadata of the authorization server is. */
  readonly metadataPath?: string;
  /** Members of the metadata of the authorization server. `undefined` removes one. */
  readonly metadata?: (stage: Stage) => JsonObject;
  /** Members of the answer to a registration. */
  readonly registration?: JsonObject;
  /** Params of the redirect. `undefined` removes one. */
  readonly redirect?: (stage: Stage) => Readonly<Record<string, string | undefined>>;
  /** Answers of its own of the token endpoint. */
  readonly token?: (form: URLSearchParams, stage: Stage) => PlayedReply | undefined;
  /** Refuses a call that has a token. */
  readonly refuse?: (sighting: Sighting, stage: Stage) => PlayedReply | undefined;
}

export function jsonReply(status: number, body: JsonObject): PlayedReply {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** A refusal with a challenge. */
export function challengeReply(status: number, challenge: string): PlayedReply {
  return { status, headers: { "www-authenticate": challenge }, body: "" };
}

export function playLogin(twist: LoginTwist): (stage: Stage) => Script {
  return (stage) => {
    const login = new PlayedLogin(stage, twist);
    return { intercept: (sighting) => login.play(sighting) };
  };
}

class PlayedLogin {
  readonly #stage: Stage;
  readonly #twist: LoginTwist;
  #codes = 0;
  #tokens = 0;
  #clients = 0;

  constructor(stage: Stage, twist: LoginTwist) {
    this.#stage = stage;
    this.#twist = twist;
  }

  play(sighting: Sighting): PlayedReply | undefined {
    const [path = ""] = sighting.path.split("?");
    if (sighting.origin === "auth" || sighting.origin === "second-auth") return this.#authorization(sighting, path);
    if (sighting.origin !== "mcp") return undefined;
    if (path === this.#resourceMetadataPath()) return jsonReply(200, this.#resourceMetadata());
    if (path !== "/mcp") return empty(404);
    const isAuthorized = /^bearer token-\d+$/i.test(sighting.headers.authorization ?? "");
    return isAuthorized ? this.#twist.refuse?.(sighting, this.#stage) : challengeReply(401, this.#challenge());
  }

  #challenge(): string {
    const { resourceMetadataAt = "challenge", challenge } = this.#twist;
    const url = `${this.#stage.originOf("mcp")}${this.#resourceMetadataPath()}`;
    const params = [
      ...(resourceMetadataAt === "challenge" ? [`resource_metadata="${url}"`] : []),
      ...(challenge === undefined ? [] : [challenge]),
    ];
    return `Bearer ${params.join(", ")}`.trim();
  }

  #resourceMetadataPath(): string {
    const { resourceMetadataAt = "challenge" } = this.#twist;
    if (resourceMetadataAt === "challenge") return "/metadata-of-the-challenge";
    return `/.well-known/oauth-protected-resource${resourceMetadataAt === "path" ? "/mcp" : ""}`;
  }

  #resourceMetadata(): JsonObject {
    return {
      resource: this.#stage.url,
      authorization_servers: [`${this.#stage.originOf("auth")}${this.#twist.issuerPath ?? ""}`],
      ...this.#twist.resourceMetadata?.(this.#stage),
    };
  }

  #authorization(sighting: Sighting, path: string): PlayedReply {
    const issuer = `${this.#stage.originOf(sighting.origin)}${this.#twist.issuerPath ?? ""}`;
    if (path === (this.#twist.metadataPath ?? "/.well-known/oauth-authorization-server"))
      return jsonReply(200, this.#metadata(issuer));
    if (path === "/register" && sighting.verb === "POST") return this.#register(sighting);
    if (path === "/authorize") return this.#redirect(sighting, issuer);
    if (path === "/token" && sighting.verb === "POST") return this.#token(new URLSearchParams(sighting.body));
    return empty(404);
  }

  #metadata(issuer: string): JsonObject {
    const origin = new URL(issuer).origin;
    return {
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      scopes_supported: ["admin"],
      ...this.#twist.metadata?.(this.#stage),
    };
  }

  #register({ value, origin }: Sighting): PlayedReply {
    this.#clients += 1;
    const asked = isObject(value) ? value : {};
    const id = { client_id: `client-${this.#clients}-of-${origin}` };
    return jsonReply(201, { token_endpoint_auth_method: "none", ...asked, ...id, ...this.#twist.registration });
  }

  #redirect({ path }: Sighting, issuer: string): PlayedReply {
    const asked = new URL(path, issuer).searchParams;
    const redirectUri = asked.get("redirect_uri") ?? "";
    if (!URL.canParse(redirectUri)) return empty(400);
    this.#codes += 1;
    const target = new URL(redirectUri);
    const params = {
      code: `code-${this.#codes}`,
      state: asked.get("state") ?? undefined,
      ...this.#twist.redirect?.(this.#stage),
    };
    for (const [name, value] of Object.entries(params)) if (value !== undefined) target.searchParams.set(name, value);
    return empty(302, { location: target.href });
  }

  #token(form: URLSearchParams): PlayedReply {
    const scripted = this.#twist.token?.(form, this.#stage);
    if (scripted) return scripted;
    this.#tokens += 1;
    return jsonReply(200, {
      access_token: `token-${this.#tokens}`,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: `refresh-${this.#tokens}`,
    });
  }
}
