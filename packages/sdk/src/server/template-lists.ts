/**
 * The resources that templates list: the pages of `resources/list` after the registered resources. A page calls the lister of
 * each template at most once. No state is kept between pages: the cursor holds the start of the next one.
 */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Resource } from "../protocol/resources.js";
import { resourceShape } from "../protocol/resources.js";
import { explain } from "../protocol/shape.js";
import { decodeBase64 } from "../runtime/base64.js";
import { isJsonObject, type JsonObject } from "../runtime/json.js";
import type { ItemFilter } from "./list-filter.js";
import type { Registry } from "./registry.js";
import type { RegisteredTemplate } from "./resource-definition.js";
import type { ServerContext } from "./server-context.js";
import { matchTemplate } from "./template-variables.js";

/** The start of a page: a template, a cursor of its lister, and an offset into the page that the lister returns for it. */
interface PageStart {
  readonly position: number;
  readonly cursor: string | undefined;
  readonly offset: number;
}

const PREFIX = "resource-members:";
const START: PageStart = { position: 0, cursor: undefined, offset: 0 };

export class TemplateLists {
  readonly #templates: Registry<RegisteredTemplate>;
  readonly #pageSize: number;

  constructor(templates: Registry<RegisteredTemplate>, pageSize: number) {
    this.#templates = templates;
    this.#pageSize = pageSize;
  }

  /** Whether any template lists its resources. */
  get exist(): boolean {
    for (const { list } of this.#templates.items()) if (list) return true;
    return false;
  }

  /** Whether a lister may depend on its request. */
  get arePrivate(): boolean {
    for (const { list, listCacheScope } of this.#templates.items())
      if (list && listCacheScope === "private") return true;
    return false;
  }

  /**
   * Completes a page that starts with the last registered resources, or builds the page at a cursor.
   * @param begun the registered resources at the start of the page
   * @param isTaken whether a URI is a registered resource, and so already listed
   * @param isListed selects the templates to list; all by default
   * @throws {ProtocolError} -32602 for a cursor that is not of this list
   * @throws {SdkError} `invalid-result` for an invalid return value of a lister
   */
  async page(
    begun: readonly unknown[],
    cursor: string | undefined,
    isTaken: (uri: string) => boolean,
    context: ServerContext,
    isListed: ItemFilter = () => true,
  ): Promise<JsonObject> {
    const from = cursor === undefined ? START : decodePageStart(cursor);
    const resources = [...begun];
    for (const { position, item, listed } of this.#templates.from(from.position)) {
      if (!item.list || !isListed(item, listed)) continue;
      const start = position === from.position ? from : { ...START, position };
      const room = this.#pageSize - resources.length;
      if (room <= 0) return { resources, nextCursor: encodePageStart(start) };
      const { members, next } = await listFrom(item, start, room, context);
      resources.push(...members.filter(({ uri }) => !isTaken(uri)));
      if (next) return { resources, nextCursor: encodePageStart({ position, ...next }) };
    }
    return { resources };
  }
}

/** Whether a cursor is of this list, and not of the registered resources. */
export function isTemplateListCursor(cursor: unknown): cursor is string {
  return typeof cursor === "string" && decodeBase64(cursor).startsWith(PREFIX);
}

interface ListedPart {
  readonly members: readonly Resource[];
  /** The start of the template's next resources; undefined if there are no more. */
  readonly next: Omit<PageStart, "position"> | undefined;
}

async function listFrom(
  registered: RegisteredTemplate,
  { cursor, offset }: PageStart,
  room: number,
  context: ServerContext,
): Promise<ListedPart> {
  const returned: unknown = await registered.list?.({ cursor }, context);
  const page = Array.isArray(returned) ? { resources: returned } : returned;
  const owner = `resource template "${registered.listing.uriTemplate}": list`;
  if (!isJsonObject(page) || !Array.isArray(page.resources)) {
    throw new SdkError(
      "invalid-result",
      `${owner} returned no list of resources; return an array, or { resources, nextCursor }`,
    );
  }
  const { resources, nextCursor } = page;
  if (nextCursor !== undefined && typeof nextCursor !== "string") {
    throw new SdkError("invalid-result", `${owner} returned a nextCursor that is no string`);
  }
  const end = offset + room;
  const members = resources.slice(offset, end).map((member) => checkMember(registered, member, owner));
  if (end < resources.length) return { members, next: { cursor, offset: end } };
  return { members, next: nextCursor === undefined ? undefined : { cursor: nextCursor, offset: 0 } };
}

/** @throws {SdkError} `invalid-result` for a malformed resource, or a URI that does not match the template. */
function checkMember(registered: RegisteredTemplate, member: unknown, owner: string): Resource {
  const { mimeType } = registered.listing;
  const resource = isJsonObject(member) && mimeType !== undefined ? { mimeType, ...member } : member;
  const fault = resourceShape(resource);
  if (fault) throw new SdkError("invalid-result", `${owner} returned: ${explain(fault, "resource")}`);
  // `resourceShape` has passed.
  const checked = resource as unknown as Resource;
  if (matchTemplate(registered, checked.uri)) return checked;
  throw new SdkError(
    "invalid-result",
    `${owner} returned ${checked.uri}, which a read of this template does not serve; list URIs that match it`,
  );
}

function encodePageStart({
  position,
  cursor = null,
  offset,
}: { [Key in keyof PageStart]: PageStart[Key] | null }): string {
  return btoa(PREFIX + encodeURIComponent(JSON.stringify([position, offset, cursor])));
}

/** @throws {ProtocolError} -32602 */
function decodePageStart(text: string): PageStart {
  const [position, offset, cursor] = parts(decodeBase64(text).slice(PREFIX.length));
  if (isPosition(position) && isPosition(offset) && (cursor === null || typeof cursor === "string")) {
    return { position, offset, cursor: cursor ?? undefined };
  }
  throw invalidParams("params.cursor: not a cursor of this list; leave it out to start from the beginning");
}

function parts(encoded: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(encoded));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
