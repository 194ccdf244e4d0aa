/** The HTML pages for users. They contain no scripts, cannot be framed, and escape all values. */
import type { LoginChoice, LoginField } from "./login-provider.js";
import { randomSecret } from "./secrets.js";

/** A form of this server, bound to one transaction and one browser. */
export interface FormBinding {
  readonly action: string;
  readonly transaction: string;
  readonly token: string;
}

export interface LoginPage {
  readonly form: FormBinding;
  readonly clientName: string;
  readonly fields: readonly LoginField[];
  readonly message?: string | undefined;
}

export interface ConsentPage {
  readonly form: FormBinding;
  readonly clientName: string;
  /** The host that vouches for the client's name, for clients that a metadata document describes. */
  readonly clientHost?: string | undefined;
  /** Undefined before the login. */
  readonly userName: string | undefined;
  /** The upstream providers to choose from. Empty after the login. */
  readonly choices: readonly LoginChoice[];
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly redirectHost: string;
  /** Whether the redirect host is a loopback host. Any program on the user's machine can listen there, so the page warns. */
  readonly isLoopback: boolean;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:4rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.25rem}label{display:block;margin:1rem 0}input:not([type=checkbox]){display:block;width:100%;box-sizing:border-box;padding:.5rem;font:inherit}
button{padding:.5rem 1.25rem;font:inherit;margin:1rem .5rem 0 0}.warning{border-left:4px solid #b45309;padding-left:.75rem}code{overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{color:#eee;background:#1a1a1a}}`;
const MAX_NAME_CHARS = 100;
/** Control characters, invisible characters, and characters that change the direction of text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More than three combining marks on one letter. No script needs them, and many of them cover the lines around. */
const STACKED_MARKS = /(?<=\p{M}{3})\p{M}+/gu;

export function loginPage({ form, clientName, fields, message }: LoginPage): Response {
  const inputs = fields.map(
    ({ name, label, type, autocomplete }) =>
      `<label>${escapeHtml(label)} <input name="${escapeHtml(name)}" type="${type}" autocomplete="${escapeHtml(autocomplete ?? "off")}" required></label>`,
  );
  return page(
    200,
    "Log in",
    `<h1>Log in to continue to ${shown(clientName)}</h1>
${message === undefined ? "" : `<p class="warning" role="alert">${escapeHtml(message)}</p>`}
${formOf(form, `${inputs.join("\n")}\n<button>Log in</button>`)}`,
  );
}

export function consentPage(consent: ConsentPage): Response {
  const { form, clientName, clientHost, userName, choices, resource, scopes, redirectHost, isLoopback } = consent;
  const items = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`);
  const warning = `<p class="warning">The application runs on this computer, and any program here could claim its name. Allow it only if you have just started this yourself.</p>`;
  const remember = `<label><input type="checkbox" name="remember" value="yes"> Do not ask again for this application</label>`;
  const allow = `<button name="decision" value="allow">Allow</button>`;
  return page(
    200,
    "Allow access",
    `<h1>Allow ${shown(clientName)} to use your account?</h1>
${userName === undefined ? "" : `<p>You are logged in as <strong>${shown(userName)}</strong>.</p>`}
${clientHost === undefined ? "" : `<p>The application is described by <strong>${escapeHtml(clientHost)}</strong>.</p>`}
<p>It wants to use <code>${escapeHtml(resource)}</code>${items.length === 0 ? "." : ` with these permissions:</p>\n<ul>${items.join("")}</ul>\n<p>`}</p>
<p>You will be sent to <strong>${escapeHtml(redirectHost)}</strong>.</p>
${isLoopback ? warning : ""}
${choices.map(choiceFacts).join("\n")}
${formOf(form, `${isLoopback || userName === undefined ? "" : remember}\n${choices.length === 0 ? allow : choices.map(choiceButton).join("\n")}\n<button name="decision" value="deny">Deny</button>`)}`,
  );
}

/** A page for an error that must not be redirected, since the client or its redirect URI cannot be trusted. */
export function errorPage(status: number, description: string): Response {
  return page(
    status,
    "Login not possible",
    `<h1>Login not possible</h1>\n<p>${escapeHtml(description)}</p>\n<p>Go back to the application and start again.</p>`,
  );
}

/** A page for a failed login, with a link back to the client. */
export function refusalPage(message: string, clientName: string, location: string): Response {
  return page(
    403,
    "Login refused",
    `<h1>Login refused</h1>\n<p>${escapeHtml(message)}</p>\n<p><a href="${escapeHtml(location)}">Go back to ${shown(clientName)}</a></p>`,
  );
}

function choiceFacts({ label, scopes }: LoginChoice): string {
  const asked = scopes.map((scope) => `<code>${escapeHtml(scope)}</code>`).join(", ");
  return `<p>${escapeHtml(label)} logs you in${asked === "" ? "" : `, and gives this server: ${asked}`}.</p>`;
}

function choiceButton({ name, label }: LoginChoice): string {
  return `<button name="provider" value="${escapeHtml(name)}">Allow and log in with ${escapeHtml(label)}</button>`;
}

function formOf({ action, transaction, token }: FormBinding, content: string): string {
  return `<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="transaction" value="${escapeHtml(transaction)}"><input type="hidden" name="token" value="${escapeHtml(token)}">
${content}
</form>`;
}

function page(status: number, title: string, body: string): Response {
  const nonce = randomSecret();
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style nonce="${nonce}">${STYLE}</style></head>
<body>
${body}
</body></html>
`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      // No form-action: browsers apply it to all redirects after the form, including those of the client.
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      ...PAGE_HEADERS,
    },
  });
}

/** Headers of pages, and of the redirects between them. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Escapes a name that a stranger chose, shortens it, and removes characters that hide or reorder others. */
function shown(name: string): string {
  const visible = name.replace(UNSEEN, " ").replace(STACKED_MARKS, "").trim() || "an application without a name";
  return escapeHtml(visible.length > MAX_NAME_CHARS ? `${visible.slice(0, MAX_NAME_CHARS)}…` : visible);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
