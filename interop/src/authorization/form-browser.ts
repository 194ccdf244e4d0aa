/** A browser without a screen: keeps cookies, follows redirects, and fills in the forms of login pages. */

export const USER = { name: "alice", password: "correct horse battery staple" } as const;

/** Where clients without a listener of their own want the answer. Nothing listens there. */
export const CALLBACK = "http://127.0.0.1:7777/callback";

export interface Page {
  readonly url: URL;
  readonly text: string;
}

const REDIRECTS = [301, 302, 303, 307];
const MAX_STEPS = 20;

export class FormBrowser {
  /** Authorization requests that were opened. */
  logins = 0;
  /** By host and port. */
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Opens a page, logs in and allows all that is asked, as far as the callback of the client or a page without a form. */
  async logIn(authorizationUrl: string | URL): Promise<Page> {
    this.logins += 1;
    let page = await this.#open(new URL(authorizationUrl), {});
    for (let step = 0; page.text.includes("<form"); step += 1) {
      if (step === MAX_STEPS) throw new Error(`${page.url.href} asks again and again`);
      page = await this.#submit(page);
    }
    return page;
  }

  /** Sends the first form: the user's name and password where they are asked for, and the button that does not deny. */
  #submit({ url, text }: Page): Promise<Page> {
    const [form = ""] = /<form[\s\S]*?<\/form>/.exec(text) ?? [];
    const body = new URLSearchParams();
    for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
      const name = attribute(tag, "name");
      const type = attribute(tag, "type") ?? "text";
      if (name === undefined || type === "checkbox") continue;
      body.set(name, { password: USER.password, text: USER.name }[type] ?? attribute(tag, "value") ?? "");
    }
    const buttons = [...form.matchAll(/<button[^>]*>/g)].map(([tag]) => tag);
    const button = buttons.find((tag) => attribute(tag, "value") !== "deny") ?? "";
    const pressed = attribute(button, "name");
    if (pressed !== undefined) body.set(pressed, attribute(button, "value") ?? "");
    return this.#open(new URL(attribute(form, "action") ?? "", url), { method: "POST", body });
  }

  async #open(start: URL, init: RequestInit): Promise<Page> {
    let url = start;
    let sent = init;
    for (let hop = 0; hop < MAX_STEPS; hop += 1) {
      if (url.href.startsWith(CALLBACK)) return { url, text: "" };
      const response = await this.#send(url, sent);
      const location = REDIRECTS.includes(response.status) ? response.headers.get("location") : null;
      const text = await response.text();
      if (location === null) return { url, text };
      url = new URL(location, url);
      sent = {};
    }
    throw new Error(`${start.origin}${start.pathname} redirects without end`);
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const headers = jar.size === 0 ? {} : { cookie: [...jar].map((pair) => pair.join("=")).join("; ") };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll("&amp;", "&");
}
