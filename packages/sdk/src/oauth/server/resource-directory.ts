/** The resources that the server issues tokens for, with the scopes of each. */

import { checkOptions, type OptionTable } from "../../errors/option-table.js";
import { SdkError } from "../../errors/sdk-error.js";
import { OAuthError } from "../grammar/oauth-error.js";
import { sameResource, secureResource } from "../grammar/resource-uri.js";
import { parseScope } from "../grammar/scope.js";
import type { ClientRecord } from "./client-record.js";

/** A resource that the server issues tokens for. */
export interface ServedResource {
  /** The resource identifier: the URL of the MCP endpoint. */
  readonly resource: string;
  /** The scopes of the resource. @defaultValue none: tokens carry no scope */
  readonly scopes?: readonly string[];
}

const RESOURCE_OPTIONS: OptionTable<ServedResource> = { resource: true, scopes: "list" };

export class ResourceDirectory {
  readonly #resources: readonly ServedResource[];

  /** @throws {SdkError} `invalid-argument` for a resource that is no URL, or if there is none */
  constructor(resources: readonly (string | ServedResource)[]) {
    if (!Array.isArray(resources) || resources.length === 0) {
      throw new SdkError(
        "invalid-argument",
        "resources is empty; name the URL of the MCP endpoint that tokens are for",
      );
    }
    this.#resources = resources
      .map((each) => (typeof each === "string" ? { resource: each } : each))
      .map((each) => {
        checkOptions("resources", each, RESOURCE_OPTIONS);
        return { ...each, resource: secureResource(each.resource) };
      });
  }

  /** Every scope of every resource. */
  get scopes(): readonly string[] {
    return [...new Set(this.#resources.flatMap(({ scopes = [] }) => scopes))];
  }

  /**
   * Finds the resource of a request. A request without `resource`, as in revision 2025-03-26, means the only one that is served.
   * @throws {OAuthError} `invalid_target` for a resource that is not served here
   */
  find(given: string | null): ServedResource {
    const found =
      given === null
        ? this.#resources.length === 1 && this.#resources[0]
        : this.#resources.find(({ resource }) => sameResource(resource, given));
    if (found) return found;
    const problem = given === null ? "resource is missing" : "this server issues no tokens for that resource";
    throw new OAuthError("invalid_target", problem, { status: 400 });
  }
}

/**
 * Selects the scopes to grant: the requested ones that exist and that the client may have; all of these if it requests none.
 * @throws {OAuthError} `invalid_scope` if no requested scope remains
 */
export function grantedScopes(
  requested: string | null,
  { scopes = [] }: ServedResource,
  client: ClientRecord,
): readonly string[] {
  const possible = scopes.filter((scope) => client.scopes?.includes(scope) ?? true);
  if (requested === null) return possible;
  const wanted = parseScope(requested);
  const granted = possible.filter((scope) => wanted.includes(scope));
  if (granted.length > 0 || scopes.length === 0) return granted;
  throw new OAuthError("invalid_scope", "none of the requested scopes can be granted", { status: 400 });
}
