/** Users as upstream providers know them, and rules about who may come in. */
import { SdkError } from "../../../errors/sdk-error.js";

/** A user whom an upstream provider has logged in. */
export interface UpstreamUser {
  /** The name of the provider. */
  readonly provider: string;
  readonly issuer: string;
  /** The user at the provider. Unique together with the issuer alone. */
  readonly subject: string;
  readonly name?: string;
  /** Only if the provider has verified it. */
  readonly email?: string;
  /** Only if the provider lists them and its scope was asked for. */
  readonly organizations?: readonly string[];
  /** The claims of the ID token and of the user info. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Decides whether a user may come in. Only `true` lets them in; a text is the reason that a refused user reads. */
export type AllowRule = (user: UpstreamUser) => boolean | string | Promise<boolean | string>;

const MAX_SUBJECT_CHARS = 255;
const MAX_NAME_CHARS = 256;
const VISIBLE = /^[\x20-\x7e]+$/;

/**
 * Lets users in whose verified e-mail address has one of these domains.
 *
 * @throws {SdkError} `invalid-argument` without a domain
 * @example
 * const login = upstreamLogin({ provider: google, clientId: "0123", allow: emailDomains("example.com") });
 */
export function emailDomains(...domains: readonly string[]): AllowRule {
  const allowed = someOf("emailDomains", domains);
  return ({ email }) => {
    if (email === undefined) return "The provider has not verified an e-mail address of yours.";
    return (
      allowed.some((domain) => email.toLowerCase().endsWith(`@${domain}`)) ||
      `Only addresses of ${allowed.join(", ")} are allowed.`
    );
  };
}

/**
 * Lets the members of these organizations in. GitHub tells them if `read:org` is among the scopes.
 *
 * @throws {SdkError} `invalid-argument` without an organization
 * @example
 * const scopes = ["read:user", "read:org"];
 * const login = upstreamLogin({ provider: github, clientId: "Iv1.0123", scopes, allow: memberOf("example") });
 */
export function memberOf(...organizations: readonly string[]): AllowRule {
  const allowed = someOf("memberOf", organizations);
  return ({ organizations: own = [] }) =>
    own.some((organization) => allowed.includes(organization.toLowerCase())) ||
    `Only members of ${allowed.join(", ")} are allowed.`;
}

function someOf(rule: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) throw new SdkError("invalid-argument", `${rule}: expected at least one name, got none`);
  return names.map((name) => name.toLowerCase());
}

/** The subject of our access tokens: two providers may give one subject to different users. */
export function globalSubject({ issuer, subject }: UpstreamUser): string {
  return `${issuer}|${subject}`;
}

/** A subject as claims or user info give it. @throws {Error} that says what is wrong with it */
export function subjectOf(value: unknown): string {
  const subject = Number.isSafeInteger(value) ? `${value}` : value;
  if (typeof subject === "string" && subject.length <= MAX_SUBJECT_CHARS && VISIBLE.test(subject)) return subject;
  throw new Error(`the subject must have 1 to ${MAX_SUBJECT_CHARS} visible characters`);
}

/** The name and the address in claims of OpenID Connect. */
export function namesOf(
  claims: Readonly<Record<string, unknown>>,
  nameField = "name",
): Pick<UpstreamUser, "name" | "email"> {
  const [name, email] = [textOf(claims[nameField]) ?? textOf(claims.preferred_username), textOf(claims.email)];
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && claims.email_verified === true && { email }),
  };
}

/** The verified address that a list of them names as the primary one. */
export function primaryEmail(list: readonly unknown[]): string | undefined {
  const entries = list as readonly ({
    readonly email?: unknown;
    readonly primary?: unknown;
    readonly verified?: unknown;
  } | null)[];
  return textOf(entries.find((entry) => entry?.primary === true && entry.verified === true)?.email);
}

/** The names in a list of organizations. */
export function organizationNames(list: readonly unknown[]): readonly string[] {
  const entries = list as readonly ({ readonly login?: unknown } | null)[];
  return entries.flatMap((entry) => textOf(entry?.login) ?? []);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME_CHARS ? value : undefined;
}
