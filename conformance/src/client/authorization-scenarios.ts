/** What the client under test does in the scenarios about authorization. Its user agrees to everything at once. */
import { Client, SdkError } from "parley-mcp/client";
import {
  clientCredentials,
  enterpriseAuthorization,
  type OAuthAuthorization,
  type OAuthOptions,
  oauth,
  type RedirectReceiver,
  workloadIdentity,
} from "parley-mcp/oauth";
import type { Revision } from "parley-mcp/types";
import { z } from "zod";

/** What the referee tells the client. */
export interface Assignment {
  readonly url: string;
  readonly revision: Revision;
  readonly context: unknown;
}

type Scenario = (assignment: Assignment) => Promise<void>;

const secretContext = z.object({ client_id: z.string(), client_secret: z.string() });
const keyContext = z.object({ client_id: z.string(), private_key_pem: z.string(), signing_algorithm: z.string() });
const workloadContext = z.object({ client_id: z.string(), valid_jwt: z.string() });
const enterpriseContext = secretContext.extend({
  idp_client_id: z.string(),
  idp_id_token: z.string(),
  idp_issuer: z.string(),
  idp_token_endpoint: z.string(),
});

/** The referee's authorization servers redirect without asking anybody. */
const redirect: RedirectReceiver = {
  redirectUri: "http://localhost:3000/callback",
  async receive(url, _state, signal) {
    const { headers } = await fetch(url, { redirect: "manual", signal });
    return new URL(headers.get("location") ?? "").searchParams;
  },
};

const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

function login(options: OAuthOptions = {}): OAuthAuthorization {
  return oauth({ redirect, clientName: "everything-client", clientMetadataUrl: CLIENT_METADATA_URL, ...options });
}

/** Lists and calls, behind a login. */
const logsIn: Scenario = (assignment) => useServer(assignment, login());

/** A login that the specification forbids to finish. */
const refuses: Scenario = async (assignment) => {
  try {
    await useServer(assignment, login());
  } catch (error) {
    if (error instanceof SdkError && error.code === "authorization-failed") return;
    throw error;
  }
  throw new Error("The client logged in where it must not");
};

export const authorizationScenarios: { readonly [name: string]: Scenario } = {
  "auth/metadata-default": logsIn,
  "auth/metadata-var1": logsIn,
  "auth/metadata-var2": logsIn,
  "auth/metadata-var3": logsIn,
  "auth/basic-cimd": logsIn,
  "auth/scope-from-www-authenticate": logsIn,
  "auth/scope-from-scopes-supported": logsIn,
  "auth/scope-omitted-when-undefined": logsIn,
  "auth/scope-step-up": logsIn,
  "auth/scope-retry-limit": refuses,
  "auth/token-endpoint-auth-basic": logsIn,
  "auth/token-endpoint-auth-post": logsIn,
  "auth/token-endpoint-auth-none": logsIn,
  "auth/2025-03-26-oauth-metadata-backcompat": logsIn,
  "auth/2025-03-26-oauth-endpoint-fallback": logsIn,
  "auth/resource-mismatch": refuses,
  "auth/offline-access-scope": logsIn,
  "auth/offline-access-not-supported": logsIn,
  "auth/authorization-server-migration": logsIn,
  "auth/iss-supported": logsIn,
  "auth/iss-not-advertised": logsIn,
  "auth/iss-supported-missing": refuses,
  "auth/iss-wrong-issuer": refuses,
  "auth/iss-unexpected": refuses,
  "auth/iss-normalized": refuses,
  "auth/metadata-issuer-mismatch": refuses,
  "auth/dpop": (assignment) => useServer(assignment, login({ dpop: true })),
  "auth/dpop-nonce": (assignment) => useServer(assignment, login({ dpop: true })),

  "auth/pre-registration": (assignment) => {
    const { client_id: clientId, client_secret: clientSecret } = secretContext.parse(assignment.context);
    return useServer(assignment, login({ client: { clientId, clientSecret } }));
  },

  "auth/client-credentials-basic": (assignment) => {
    const { client_id: clientId, client_secret: clientSecret } = secretContext.parse(assignment.context);
    return useServer(assignment, clientCredentials({ client: { clientId, clientSecret } }));
  },

  "auth/client-credentials-jwt": (assignment) => {
    const {
      client_id: clientId,
      private_key_pem: key,
      signing_algorithm: algorithm,
    } = keyContext.parse(assignment.context);
    return useServer(assignment, clientCredentials({ client: { clientId, privateKey: { key, algorithm } } }));
  },

  "auth/enterprise-managed-authorization": (assignment) => {
    const context = enterpriseContext.parse(assignment.context);
    const authorization = enterpriseAuthorization({
      client: { clientId: context.client_id, clientSecret: context.client_secret },
      identityProvider: {
        issuer: context.idp_issuer,
        tokenEndpoint: context.idp_token_endpoint,
        client: { clientId: context.idp_client_id },
        subjectToken: context.idp_id_token,
      },
    });
    return useServer(assignment, authorization);
  },

  "auth/wif-jwt-bearer": (assignment) => {
    const { client_id: clientId, valid_jwt: assertion } = workloadContext.parse(assignment.context);
    return useServer(assignment, workloadIdentity({ client: { clientId }, assertion: () => assertion }));
  },
};

async function useServer({ url, revision }: Assignment, authorization: OAuthAuthorization): Promise<void> {
  await using client = await Client.connect(
    { url, authorization },
    { name: "everything-client", version: "1.0.0", revisions: [revision] },
  );
  await client.listTools();
  await client.callTool("test-tool", {});
}
