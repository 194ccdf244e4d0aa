/** Finds the metadata of an authorization server by its issuer, at the URLs and in the order of the specification. */
import { SdkError } from "../../errors/sdk-error.js";
import type { GuardedFetch } from "../grammar/guarded-fetch.js";
import { isSecureUrl } from "../grammar/loopback.js";
import { type AuthorizationServerMetadata, parseAuthorizationServerMetadata } from "../grammar/metadata.js";
import { authorizationServerMetadataUrls } from "../grammar/well-known.js";

/** @throws {SdkError} `invalid-argument` for an issuer that is no URL with https, or with http on a loopback host. */
export function checkIssuer(issuer: string): void {
  if (URL.canParse(issuer) && isSecureUrl(new URL(issuer))) return;
  const complaint = `expected a URL such as "https://login.example.com", got ${JSON.stringify(issuer)}`;
  throw new SdkError("invalid-argument", `issuer: ${complaint}; http is for loopback hosts alone`);
}

/** @throws {SdkError} `authorization-failed`, with the answer of each URL. */
export async function discoverIssuer(issuer: string, fetch: GuardedFetch): Promise<AuthorizationServerMetadata> {
  const complaints: string[] = [];
  for (const url of authorizationServerMetadataUrls(new URL(issuer))) {
    const found = await read(url, fetch).catch((error: unknown) => String(error));
    if (typeof found === "string") complaints.push(`${url.href}: ${found}`);
    else return checked(issuer, found);
  }
  throw failed(issuer, `its metadata cannot be read: ${complaints.join("; ")}. Check the issuer and the network`);
}

/** Returns the document, or a text that says why it cannot be used. */
async function read(url: URL, fetch: GuardedFetch): Promise<AuthorizationServerMetadata | string> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) return `HTTP ${response.status}`;
  return parseAuthorizationServerMetadata(await response.json());
}

/** A document that names another issuer may come from an attacker. */
function checked(issuer: string, metadata: AuthorizationServerMetadata): AuthorizationServerMetadata {
  if (metadata.issuer === issuer) return metadata;
  throw failed(issuer, `its metadata names the issuer ${JSON.stringify(metadata.issuer)}; write it exactly so`);
}

function failed(issuer: string, complaint: string): SdkError {
  return new SdkError("authorization-failed", `issuer ${JSON.stringify(issuer)}: ${complaint}`);
}
