/** A provider of plain OAuth 2 like GitHub: no ID tokens, no `iss`, errors with status 200. It asks its users nothing. */
import { createHash } from "node:crypto";
import type { LoginBrowser } from "./login-browser.js";

type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

export class ScriptedGithub {
  /** Requests of the server, by method and URL without query. */
  readonly calls: string[] = [];
  /** What the authorization endpoint answers instead of a code. */
  denial: Record<string, string> | undefined;
  /** Answers by URL without query, instead of the usual ones. */
  readonly answers = new Map<string, () => Response | Promise<Response>>();
  readonly accessTokens: string[] = [];
  readonly #challenges = new Map<string, string>();

  /** The authorization endpoint, as a site of a browser: it sends the browser back at once. */
  readonly site = (request: Request): Response => {
    const { searchParams } = new URL(request.url);
    const code = crypto.randomUUID();
    this.#challenges.set(code, `${searchParams.get("code_challenge")}`);
    const back = new URL(`${searchParams.get("redirect_uri")}`);
    const answer = { state: `${searchParams.get("state")}`, ...(this.denial ?? { code }) };
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value);
    return new Response(null, { status: 302, headers: { location: back.href } });
  };

  readonly fetch: Fetch = async (url, init) => {
    const place = `${url.origin}${url.pathname}`;
    this.calls.push(`${init.method ?? "GET"} ${place}`);
    const scripted = this.answers.get(place);
    if (scripted) return scripted();
    switch (place) {
      case "https://github.com/login/oauth/access_token":
        return Response.json(this.#redeem(new URLSearchParams(`${init.body}`)));
      case "https://api.github.com/user":
        return Response.json({ id: 583231, login: "octocat", name: "Mona", email: "shown@in-the-profile.example" });
      case "https://api.github.com/user/emails":
        return Response.json([{ email: "octocat@octo.example", primary: true, verified: true }]);
      case "https://api.github.com/user/orgs":
        return Response.json([{ login: "octo-org" }]);
      default:
        return new Response("", { status: 404 });
    }
  };

  #redeem(form: URLSearchParams): Record<string, string> {
    const code = `${form.get("code")}`;
    const challenge = createHash("sha256")
      .update(`${form.get("code_verifier")}`)
      .digest("base64url");
    const isRight = this.#challenges.get(code) === challenge && form.get("client_secret") === "github secret";
    this.#challenges.delete(code);
    if (!isRight) return { error: "bad_verification_code", error_description: "The code passed is incorrect." };
    const access_token = `gho_${crypto.randomUUID()}`;
    this.accessTokens.push(access_token);
    return { access_token, token_type: "bearer", scope: "read:user,user:email" };
  }
}

/** The sites of a browser that logs in at GitHub. */
export function githubSites(provider: ScriptedGithub): ConstructorParameters<typeof LoginBrowser>[0] {
  return { "https://github.com": provider.site };
}
