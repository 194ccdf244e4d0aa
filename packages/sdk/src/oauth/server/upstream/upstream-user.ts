/** Users of upstream providers, and rules that decide which of them may log in. */
import { SdkError } from "../../../errors/sdk-error.js";

/** A user whom an upstream provider has logged in. */
export interface UpstreamUser {
  /** The name of the provider. */
  readonly provider: string;
  readonly issuer: string;
  /** The id of the user at the provider. Unique only together with the issuer. */
  readonly subject: string;
  readonly name?: string;
  /** The e-mail address, if the provider has verified it. */
  readonly email?: string;
  /** The organizations, if the provider lists them and their scope was requested. */
  readonly organizations?: readonly string[];
  /** The claims of the ID token and of the user info. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Decides whether a user may log in. Only `true` allows it. A text refuses, and is the reason that the user reads. */
export type AllowRule = (user: UpstreamUser) => boolean | string | Promise<boolean | string>;

const MAX_SUBJECT_CHARS = 255;
const MAX_NAME_CHARS = 256;
const VISIBLE = /^[\x20-\x7e]+$/;

/**
 * Allows users whose verified e-mail address has one of these domains.
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
 * Allows the members of these organizations. GitHub lists them if `read:org` is among the scopes.
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

/** The subject of this server's access tokens. It contains the issuer, since two providers may use the same subject. */
export function globalSubject({ issuer, subject }: UpstreamUser): string {
  return `${issuer}|${subject}`;
}

/** Checks the subject of claims or user info. @throws {Error} with the reason */
export function subjectOf(value: unknown): string {
  const subject = Number.isSafeInteger(value) ? `${value}` : value;
  if (typeof subject === "string" && subject.length <= MAX_SUBJECT_CHARS && VISIBLE.test(subject)) return subject;
  throw new Error(`the subject must have 1 to ${MAX_SUBJECT_CHARS} visible characters`);
}

/** Reads the name and the verified address from claims of OpenID Connect. */
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

/** The verified primary address in a list of addresses. */
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
