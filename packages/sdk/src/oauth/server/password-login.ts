/** Login with a name and a password, for development and small deployments. */
import { base64url } from "jose";
import { checkText, checkWholeNumber } from "../../errors/option-checks.js";
import { checkKind } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { BoundedMap } from "../../runtime/bounded-map.js";
import { AddressRates } from "./address-rates.js";
import type {
  LoggedInUser,
  LoginField,
  LoginProvider,
  LoginReply,
  LoginStep,
  LoginTransaction,
} from "./login-provider.js";
import { PasswordChecks } from "./password-checks.js";
import { digest, isSameDigest } from "./secrets.js";

/** A user who logs in with a password. */
export interface PasswordUser {
  /** The name to log in with, and the `sub` of access tokens. */
  readonly subject: string;
  /** The hash of the password, from `hashPassword`. */
  readonly passwordHash: string;
  /** The name that pages show. @defaultValue the subject */
  readonly name?: string;
}

const ALGORITHM = "pbkdf2-sha256";
const ITERATIONS = 600_000;
const MAX_ITERATIONS = 10_000_000;
const SALT_BYTES = 16;
const HASH_BITS = 256;
const MAX_PASSWORD_CHARS = 1_024;
/** Attempts with one name from one address. The address can still log in with other names. */
const ATTEMPTS_BY_NAME_AND_ADDRESS = { perSecond: 0.1, burst: 10 };
/** Attempts from one address. Many users may share an address, so the rate is higher. */
const ATTEMPTS_BY_ADDRESS = { perSecond: 0.5, burst: 50 };
/** Remembered addresses where a user has logged in. Attempts from there are not delayed. */
const MAX_KNOWN_PER_USER = 32;
const BUSY = "The server is busy. Try again in a moment.";
const HASH = /^pbkdf2-sha256\$(\d{1,8})\$([A-Za-z0-9_-]{16,64})\$([A-Za-z0-9_-]{43})$/;

const FIELDS: readonly LoginField[] = [
  { name: "username", label: "Name", type: "text", autocomplete: "username" },
  { name: "password", label: "Password", type: "password", autocomplete: "current-password" },
];

/**
 * Hashes a password with PBKDF2-HMAC-SHA-256 and a random salt.
 *
 * @throws {SdkError} `invalid-argument` for an empty password, or one over 1,024 characters
 * @example
 * const users = [{ subject: "alice", passwordHash: await hashPassword("correct horse battery staple") }];
 */
export async function hashPassword(
  password: string,
  options: {
    /** Iterations of PBKDF2. More of them slow down each login, and each guess of an attacker. @defaultValue 600_000 */
    readonly iterations?: number;
  } = {},
): Promise<string> {
  const { iterations = ITERATIONS } = options;
  if (password === "" || password.length > MAX_PASSWORD_CHARS) {
    throw new SdkError("invalid-argument", `a password must have 1 to ${MAX_PASSWORD_CHARS} characters`);
  }
  checkWholeNumber("iterations", iterations, 1, MAX_ITERATIONS);
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  return `${ALGORITHM}$${iterations}$${base64url.encode(salt)}$${await derive(password, salt, iterations)}`;
}

/**
 * Logs users in with a form for name and password. Attempts are refused by address, and by name and address together. Attempts
 * by name wait in turns by network, so that an attacker cannot lock out a user at another address.
 */
export class PasswordLogin implements LoginProvider {
  readonly #users: ReadonlyMap<string, PasswordUser>;
  readonly #byNameAndAddress: AddressRates;
  readonly #byAddress: AddressRates;
  /** The addresses where users have logged in, by user, as digests. */
  readonly #known = new Map<string, BoundedMap<string, true>>();
  /** The hash that is checked for unknown names, so that they take as long as known ones. */
  readonly #decoy: string;
  readonly #checks: PasswordChecks;

  /** @throws {SdkError} `invalid-argument` for a hash that `hashPassword` did not make, or a repeated subject */
  constructor(users: readonly PasswordUser[], now: () => number = Date.now) {
    for (const user of users) {
      checkKind("users", user, "object");
      const { subject, passwordHash } = user;
      checkText("users: subject", subject);
      if (HASH.test(passwordHash)) continue;
      throw new SdkError("invalid-argument", `user "${subject}": passwordHash must be what hashPassword returned`);
    }
    this.#users = new Map(users.map((user) => [user.subject, user]));
    if (this.#users.size < users.length) throw new SdkError("invalid-argument", "two users have one subject");
    this.#byNameAndAddress = new AddressRates(ATTEMPTS_BY_NAME_AND_ADDRESS, now);
    this.#byAddress = new AddressRates(ATTEMPTS_BY_ADDRESS, now);
    this.#checks = new PasswordChecks(this.#users.size, now);
    this.#decoy = users[0]?.passwordHash ?? `${ALGORITHM}$${ITERATIONS}$${"A".repeat(22)}$${"A".repeat(43)}`;
  }

  async start(): Promise<LoginStep> {
    return { kind: "form", fields: FIELDS };
  }

  async finish({ address = "" }: LoginTransaction, { parameters }: LoginReply): Promise<LoginStep> {
    const name = parameters.get("username") ?? "";
    const password = parameters.get("password") ?? "";
    const pair = await digest(name, address);
    const waitMs = Math.max(this.#byAddress.take(address), this.#byNameAndAddress.take(pair));
    if (waitMs > 0) return again(`Too many attempts. Try again in ${Math.ceil(waitMs / 1_000)} seconds.`);
    const isKnown = this.#known.get(name)?.has(pair) === true;
    const user = this.#users.get(name);
    const isRight = await this.#checks.run({ name, address, isUser: user !== undefined, isKnown }, () =>
      isPassword(password, user?.passwordHash ?? this.#decoy),
    );
    if (isRight === undefined) return again(BUSY);
    if (!user || !isRight) return again("Wrong name or password.");
    this.#remember(name, pair);
    const { subject, name: displayName, passwordHash } = user;
    const credentialDigest = await digest(passwordHash);
    return {
      kind: "user",
      user: { subject, ...(displayName !== undefined && { name: displayName }), credentialDigest },
    };
  }

  #remember(name: string, pair: string): void {
    const limits = { maxEntries: MAX_KNOWN_PER_USER, maxWeight: MAX_KNOWN_PER_USER };
    const known = this.#known.get(name) ?? new BoundedMap<string, true>(limits);
    known.set(pair, true, 1);
    this.#known.set(name, known);
  }

  /** False for a user who was removed, or whose password hash has changed. */
  async isStillValid({
    subject,
    credentialDigest,
  }: Pick<LoggedInUser, "subject" | "credentialDigest">): Promise<boolean> {
    const user = this.#users.get(subject);
    return user !== undefined && credentialDigest === (await digest(user.passwordHash));
  }
}

function again(message: string): LoginStep {
  return { kind: "form", fields: FIELDS, message };
}

async function isPassword(password: string, passwordHash: string): Promise<boolean> {
  // The constructor has checked the hash against the pattern.
  const [, iterations, salt, hash] = HASH.exec(passwordHash) as unknown as [string, string, string, string];
  const given = password.slice(0, MAX_PASSWORD_CHARS);
  return isSameDigest(await derive(given, new Uint8Array(base64url.decode(salt)), Number(iterations)), hash);
}

async function derive(password: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<string> {
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(password), "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, key, HASH_BITS);
  return base64url.encode(new Uint8Array(bits));
}
