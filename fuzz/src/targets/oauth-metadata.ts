/** Metadata documents of resources, authorization servers and clients: safe after parsing, or refused in few words. */

import { SdkError } from "../../../packages/sdk/src/errors/sdk-error.js";
import {
  parseAuthorizationServerMetadata,
  parseClientMetadata,
  parseProtectedResourceMetadata,
} from "../../../packages/sdk/src/oauth/grammar/metadata.js";
import { OAuthError } from "../../../packages/sdk/src/oauth/grammar/oauth-error.js";
import { mutateJson } from "../mutate-json.js";
import { AWKWARD, mutateText } from "../mutate-text.js";
import type { Random } from "../random.js";
import { demand, demandEqual, field, type Target } from "../target.js";

const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  resource: {
    resource: "https://mcp.example.com/mcp",
    authorization_servers: ["https://auth.example.com"],
    scopes_supported: ["files:read"],
    resource_documentation: "https://mcp.example.com/docs",
  },
  server: {
    issuer: "https://auth.example.com",
    authorization_endpoint: "https://auth.example.com/authorize",
    token_endpoint: "https://auth.example.com/token",
    jwks_uri: "http://localhost:9000/jwks",
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
  },
  client: {
    client_id: "https://app.example.com/client.json",
    client_name: "Example",
    redirect_uris: ["http://127.0.0.1:3000/cb", "https://app.example.com/cb"],
    logo_uri: "https://app.example.com/logo.png",
    jwks: { keys: [] },
  },
};

const PARSERS = {
  resource: parseProtectedResourceMetadata,
  server: parseAuthorizationServerMetadata,
  client: parseClientMetadata,
};

const URL_PARTS: readonly string[] = [
  ...AWKWARD,
  ...["javascript:", "data:", "file://", "http://", "https://", "//", "@", "localhost", "127.0.0.1", "[::1]", ":99999"],
];

export const oauthMetadata: Target = {
  name: "oauth-metadata",
  share: 60,
  maxMs: 100,
  outcomes: ["resource", "server", "client", "refused"],
  generate(random) {
    const kind = random.pick(Object.keys(DOCUMENTS));
    const document = { ...DOCUMENTS[kind] };
    if (random.oneIn(2)) damageText(random, document);
    const damaged = random.oneIn(3) ? document : mutateJson(random, document);
    return { kind, document: JSON.stringify(damaged) };
  },
  check(input) {
    const kind = field(input, "kind") as keyof typeof PARSERS;
    const parse = PARSERS[kind] ?? parseClientMetadata;
    const parsed = parsedOrRefused(parse, JSON.parse(field(input, "document") || "null"));
    if (parsed === undefined) return "refused";
    demandEqual(parse(JSON.parse(JSON.stringify(parsed))), parsed, "reads what it has read");
    for (const [name, value] of Object.entries(parsed)) checkUrls(name, value);
    return kind;
  },
};

/** Damages one text of a document: a field, or the first item of a list. */
function damageText(random: Random, document: Record<string, unknown>): void {
  const name = random.pick(Object.keys(document));
  const value = document[name];
  const text = String(Array.isArray(value) ? value[0] : value);
  const damaged = mutateText(random, text, URL_PARTS);
  document[name] = Array.isArray(value) ? [damaged] : damaged;
}

function parsedOrRefused(parse: (value: unknown) => object, document: unknown): object | undefined {
  try {
    return parse(document);
  } catch (error) {
    if (!(error instanceof SdkError || error instanceof OAuthError)) throw error;
    demand(error.message.length < 300, "keeps its complaint short", () => error.message);
    return undefined;
  }
}

/** A browser or a client follows these without another check. */
function checkUrls(name: string, value: unknown): void {
  if (!/_endpoint$|_uris?$|^issuer$|^authorization_servers$|_documentation$/.test(name)) return;
  for (const text of [value].flat()) {
    const { protocol, hostname, username } = new URL(String(text));
    const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
    const isSafe = protocol === "https:" || (protocol === "http:" && isLocal);
    demand(isSafe && username === "", "lets only safe URLs pass", () => `${name} ${String(text)}`);
  }
}
