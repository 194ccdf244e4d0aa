/** What a server offers in one revision: capabilities, lists, and the calls that the checker may make. */
import type { Revision } from "parley-requirements";
import { type Answer, resultOf } from "../target/answer.js";
import { isModern } from "../target/envelope.js";
import type { Peer } from "../target/target.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { FIXTURE_CALLS } from "./fixture-calls.js";

/** A call of a tool that the user allowed. */
export interface AllowedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** The listed tool; `undefined` for a tool that the server does not list. */
  readonly tool: JsonObject | undefined;
}

/** The answers to a paged list, and the items on their pages. */
export interface Listing {
  readonly pages: readonly Answer[];
  readonly items: readonly JsonObject[];
}

export type ListName = "tools" | "resources" | "templates" | "prompts";

export const LIST_METHODS: Readonly<Record<ListName, string>> = {
  tools: "tools/list",
  resources: "resources/list",
  templates: "resources/templates/list",
  prompts: "prompts/list",
};

/** The member of a list's result that holds the items. */
export const LIST_MEMBERS: Readonly<Record<ListName, string>> = {
  tools: "tools",
  resources: "resources",
  templates: "resourceTemplates",
  prompts: "prompts",
};

export const LIST_NAMES: readonly ListName[] = ["tools", "resources", "templates", "prompts"];

export interface Offer {
  /** Revisions that the server claims to speak. */
  readonly claimed: readonly Revision[];
  /** The result of `server/discover` or `initialize`. */
  readonly opening: JsonObject;
  readonly openingAnswer: Answer;
  readonly capabilities: JsonObject;
  readonly listings: Readonly<Record<ListName, Listing>>;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Prompts without required arguments. */
  readonly plainPrompts: readonly JsonObject[];
  /** The first of them that is served to a client without capabilities, or else the first. */
  readonly plainPrompt: JsonObject | undefined;
  readonly demandingPrompt: JsonObject | undefined;
  readonly calls: readonly AllowedCall[];
  readonly sessionId: string | undefined;
  /** A request without the given credentials is refused with 401. */
  readonly isProtected: boolean;
}

export interface CallPermissions {
  /** Calls given with `--call`. */
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** Whether tools that are annotated as read-only and need no arguments may be called. */
  readonly allowReadOnly: boolean;
  /** Whether the server has the tools of the official referee, which may all be called. */
  readonly isFixture?: boolean;
}

const MAX_PAGES = 50;
const MAX_LISTED_CHARACTERS = 8 * 1024 * 1024;
const MAX_READ_ONLY_CALLS = 5;
const MAX_TRIED_PROMPTS = 5;

export async function discoverOffer(
  peer: Peer,
  claimed: readonly Revision[],
  permissions: CallPermissions,
  isProtected: boolean,
): Promise<Offer> {
  const openingAnswer = isModern(peer.revision) ? await peer.request("server/discover") : peer.opening;
  const opening = (openingAnswer && resultOf(openingAnswer)) ?? {};
  const capabilities = isObject(opening.capabilities) ? opening.capabilities : {};
  const list = (name: ListName, capability: string) =>
    isObject(capabilities[capability])
      ? walkPages((params) => peer.request(LIST_METHODS[name], params), LIST_MEMBERS[name])
      : Promise.resolve({ pages: [], items: [] });
  const listings = {
    tools: await list("tools", "tools"),
    resources: await list("resources", "resources"),
    templates: await list("templates", "resources"),
    prompts: await list("prompts", "prompts"),
  };
  const prompts = listings.prompts.items;
  const plainPrompts = prompts.filter((prompt) => requiredArguments(prompt).length === 0);
  return {
    claimed,
    opening,
    openingAnswer: openingAnswer ?? (await peer.request("ping")),
    capabilities,
    listings,
    tools: listings.tools.items,
    resources: listings.resources.items,
    templates: listings.templates.items,
    prompts,
    plainPrompts,
    plainPrompt: await servedPrompt(peer, plainPrompts),
    demandingPrompt: prompts.find((prompt) => requiredArguments(prompt).length > 0),
    calls: allowedCalls(listings.tools.items, permissions),
    sessionId: peer.sessionId,
    isProtected,
  };
}

/** Walks the pages of a list, up to limits of pages and characters, and never twice with the same cursor. */
export async function walkPages(ask: (params: JsonObject) => Promise<Answer>, member: string): Promise<Listing> {
  const pages: Answer[] = [];
  const items: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  do {
    const answer = await ask(cursor === undefined ? {} : { cursor });
    pages.push(answer);
    characters += answer.received.length;
    const result = resultOf(answer) ?? {};
    const listed = result[member];
    if (Array.isArray(listed)) for (const item of listed) if (isObject(item)) items.push(item);
    cursor = typeof result.nextCursor === "string" ? result.nextCursor : undefined;
    if (cursor !== undefined && cursors.has(cursor)) break;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined && pages.length < MAX_PAGES && characters < MAX_LISTED_CHARACTERS);
  return { pages, items };
}

/** A prompt may ask its client for more than this one declares. */
async function servedPrompt(peer: Peer, prompts: readonly JsonObject[]): Promise<JsonObject | undefined> {
  for (const prompt of prompts.slice(0, MAX_TRIED_PROMPTS)) {
    if (resultOf(await peer.request("prompts/get", { name: prompt.name })) !== undefined) return prompt;
  }
  return prompts[0];
}

function requiredArguments(prompt: JsonObject): JsonObject[] {
  const listed = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  return listed.filter(isObject).filter(({ required }) => required === true);
}

function allowedCalls(tools: readonly JsonObject[], permissions: CallPermissions): AllowedCall[] {
  const named = permissions.calls.map((call) => ({ ...call, tool: tools.find(({ name }) => name === call.name) }));
  const given = permissions.isFixture ? [...named, ...fixtureCalls(tools)] : named;
  if (!permissions.allowReadOnly) return given;
  const names = new Set<unknown>(given.map(({ name }) => name));
  const readOnly = tools
    .filter(({ name }) => !names.has(name))
    .filter(({ annotations }) => isObject(annotations) && annotations.readOnlyHint === true)
    .filter(({ annotations }) => isObject(annotations) && annotations.destructiveHint !== true)
    .filter(
      ({ inputSchema }) =>
        !isObject(inputSchema) || !Array.isArray(inputSchema.required) || inputSchema.required.length === 0,
    )
    .slice(0, MAX_READ_ONLY_CALLS)
    .map((tool) => ({ name: String(tool.name), arguments: {}, tool }));
  return [...given, ...readOnly];
}

function fixtureCalls(tools: readonly JsonObject[]): AllowedCall[] {
  return tools.flatMap((tool) => {
    const args = FIXTURE_CALLS[String(tool.name)];
    return args === undefined ? [] : [{ name: String(tool.name), arguments: args, tool }];
  });
}
