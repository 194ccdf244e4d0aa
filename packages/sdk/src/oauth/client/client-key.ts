/** Checks and imports the private key of a client. No error quotes the key. */
import { type CryptoKey, importJWK, importPKCS8, type JWK } from "jose";
import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { toHex } from "../../runtime/hexadecimal.js";

/** A key that can export itself, such as a `KeyObject` of Node. */
export interface ExportableKey {
  readonly type: string;
  export(options: { readonly format: "jwk" }): object;
}

/** A private key that signs the client's assertions. */
export interface ClientKey {
  /** The key: a `CryptoKey`, a `KeyObject`, a JSON Web Key, or a PKCS #8 key in PEM form. */
  readonly key: CryptoKey | ExportableKey | JWK | string;
  /** Algorithm of a key in PEM form, or of a JSON Web Key without `alg`. @defaultValue "ES256" */
  readonly algorithm?: string | undefined;
  /** `kid` of the assertions. @defaultValue none */
  readonly keyId?: string | undefined;
}

const CLIENT_KEY_OPTIONS: OptionTable<ClientKey> = { key: true, algorithm: "string", keyId: "string" };

const TO_PKCS8 = "convert it: openssl pkcs8 -topk8 -nocrypt -in key.pem";

/** @throws {SdkError} `invalid-argument` for a misspelled member, and a value that is no private key in a supported form */
export function checkClientKey(given: ClientKey): void {
  checkOptions("client.privateKey", given, CLIENT_KEY_OPTIONS);
  const { key } = given;
  const problem = typeof key === "string" ? pemProblem(key) : objectProblem(key);
  if (problem !== undefined) throw new SdkError("invalid-argument", `client.privateKey.key: ${problem}`);
}

/** @throws {SdkError} `authorization-failed` for a key of another algorithm */
export async function importClientKey(given: ClientKey): Promise<{ key: CryptoKey; kid?: string }> {
  const { algorithm = "ES256", keyId } = given;
  const key = isExportable(given.key) ? (given.key.export({ format: "jwk" }) as JWK) : given.key;
  const isImported = typeof key !== "string" && !isJwk(key);
  return { key: isImported ? key : await imported(key, algorithm), ...(keyId !== undefined && { kid: keyId }) };
}

async function imported(key: JWK | string, algorithm: string): Promise<CryptoKey> {
  try {
    if (typeof key === "string") return await importPKCS8(key, algorithm);
    // `importJWK` returns bytes only for symmetric keys, which `checkClientKey` refuses.
    return (await importJWK(key, key.alg ?? algorithm)) as CryptoKey;
  } catch {
    // No `cause`: the error of the import may quote the key.
    const found = kindOf(key);
    const advice = `client.privateKey is ${found.name}, and its algorithm is to be ${algorithm}`;
    throw new SdkError("authorization-failed", `${advice}: set algorithm of privateKey, such as ${found.algorithm}`);
  }
}

function pemProblem(text: string): string | undefined {
  const label = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text)?.[1];
  if (label === "PRIVATE KEY") return undefined;
  if (label === undefined) return "expected the text of a PEM file, and not its name";
  if (label.endsWith("PUBLIC KEY")) return `expected a private key, got a ${label}`;
  return `expected a PEM file with PRIVATE KEY, got ${label}; ${TO_PKCS8}`;
}

function objectProblem(key: Exclude<ClientKey["key"], string>): string | undefined {
  if (typeof key !== "object" || key === null) return `expected a private key, got ${typeof key}`;
  if (isJwk(key)) return "d" in key ? undefined : "expected a private key; the JSON Web Key has no d";
  if (key.type === "private") return undefined;
  return `expected a private key, got ${typeof key.type === "string" ? `a ${key.type} one` : "an object"}`;
}

function isExportable(key: ClientKey["key"]): key is ExportableKey {
  return typeof key === "object" && "export" in key && typeof key.export === "function";
}

function isJwk(key: CryptoKey | ExportableKey | JWK): key is JWK {
  return "kty" in key;
}

interface KeyKind {
  readonly name: string;
  /** Algorithms that the key can sign with, for the error message. */
  readonly algorithm: string;
}

const RSA: KeyKind = { name: "an RSA key", algorithm: "RS256" };
const ED25519: KeyKind = { name: "an Ed25519 key", algorithm: "EdDSA" };
const EC: KeyKind = { name: "an elliptic-curve key", algorithm: "ES256, ES384 or ES512" };
const UNREADABLE: KeyKind = { name: "a key that cannot be read", algorithm: EC.algorithm };
/** Object identifiers in the DER form of PKCS #8, as hexadecimal digits. */
const KINDS_BY_OID: readonly (readonly [string, KeyKind])[] = [
  ["06092a864886f70d010101", RSA],
  ["06032b6570", ED25519],
  ["06072a8648ce3d0201", EC],
];
const KINDS_BY_TYPE: Readonly<Record<string, KeyKind>> = { RSA, OKP: ED25519, EC };

function kindOf(key: JWK | string): KeyKind {
  if (typeof key !== "string") return KINDS_BY_TYPE[`${key.kty}`] ?? UNREADABLE;
  const bytes = bytesOf(key.replace(/-----[A-Z ]+-----|\s/g, ""));
  const digits = toHex(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
  return KINDS_BY_OID.find(([oid]) => digits.includes(oid))?.[1] ?? UNREADABLE;
}

function bytesOf(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
