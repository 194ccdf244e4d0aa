/** The skills of a server at one moment: pages of entries, files by URI, and directories. Immutable; serve-skills.ts replaces it. */
import { invalidParams } from "../errors/protocol-error.js";
import { SdkError } from "../errors/sdk-error.js";
import type { Resource } from "../protocol/resources.js";
import { shorten } from "../runtime/shorten.js";
import { DIRECTORY_TYPE } from "./mime-type.js";
import { entryOf, type ServedFile, type Skill } from "./skill.js";
import { nameIn } from "./skill-uri.js";
import type { SkillEntry } from "./skills-extension.js";

/** Files that the entries of one page list, so that a page of large skills stays below the limits of messages. */
const MAX_FILES_PER_PAGE = 2_048;
const CURSOR = "after:";

/** A file, and how `resources/list` and `resources/directory/read` describe it. */
export interface CatalogFile {
  readonly file: ServedFile;
  readonly resource: Resource;
  /** Whether the file is the `SKILL.md` of a skill. */
  readonly isManifest: boolean;
}

export class SkillCatalog {
  readonly files: ReadonlyMap<string, CatalogFile>;
  readonly #entries: ReadonlyMap<string, SkillEntry>;
  /** The children of each directory, by their URI, in order. */
  readonly #directories: ReadonlyMap<string, readonly Resource[]>;
  readonly #pageSize: number;

  /** @throws {SdkError} `duplicate-name` for a skill that is there twice, or for two contents of one URI. */
  constructor(skills: readonly Skill[], pageSize: number) {
    const sorted = [...skills].sort((one, other) => (one.uri < other.uri ? -1 : 1));
    this.#pageSize = pageSize;
    this.#entries = new Map(sorted.map((skill) => [skill.uri, entryOf(skill)]));
    if (this.#entries.size < skills.length) {
      throw new SdkError("duplicate-name", "skills: two skills have the same path; rename one");
    }
    this.files = catalogFiles(sorted);
    this.#directories = directoriesOf(sorted, this.files);
  }

  /** The URIs of the skills, in order. */
  get uris(): readonly string[] {
    return [...this.#entries.keys()];
  }

  list(cursor: string | undefined): { skills: SkillEntry[]; nextCursor?: string } {
    const [skills, nextCursor] = this.#page(
      [...this.#entries.values()],
      cursor,
      ({ resources = [] }) => resources.length,
    );
    return nextCursor === undefined ? { skills } : { skills, nextCursor };
  }

  /** @throws {ProtocolError} -32602 for a URI of no skill. */
  get(uri: string): SkillEntry {
    const entry = this.#entries.get(uri);
    if (entry === undefined) throw invalidParams(`Skill not found: ${shorten(uri)}`, { uri });
    return entry;
  }

  /** @throws {ProtocolError} -32602 for a URI of no directory. */
  directory(uri: string, cursor: string | undefined): { resources: Resource[]; nextCursor?: string } {
    const children = this.#directories.get(uri);
    if (children === undefined) throw invalidParams(`Directory not found: ${shorten(uri)}`, { uri });
    const [resources, nextCursor] = this.#page(children, cursor, () => 1);
    return nextCursor === undefined ? { resources } : { resources, nextCursor };
  }

  /** Cuts a page. A cursor names the URI before the page, so a change between two pages neither repeats nor hides an item. */
  #page<Item extends { readonly uri: string }>(
    items: readonly Item[],
    cursor: string | undefined,
    filesIn: (item: Item) => number,
  ): [Item[], string | undefined] {
    if (cursor !== undefined && !cursor.startsWith(CURSOR)) {
      throw invalidParams("params.cursor: not a cursor of this list; leave it out to start from the beginning");
    }
    const after = cursor?.slice(CURSOR.length) ?? "";
    const page: Item[] = [];
    let files = 0;
    for (const item of items) {
      if (item.uri <= after) continue;
      files += filesIn(item);
      const last = page.at(-1);
      if (last !== undefined && (page.length === this.#pageSize || files > MAX_FILES_PER_PAGE)) {
        return [page, CURSOR + last.uri];
      }
      page.push(item);
    }
    return [page, undefined];
  }
}

/** Files by URI. A nested skill shares its files with the skill around it. */
function catalogFiles(skills: readonly Skill[]): ReadonlyMap<string, CatalogFile> {
  const manifests = new Map(skills.map(({ uri, frontmatter }) => [uri, frontmatter]));
  const files = new Map<string, CatalogFile>();
  for (const file of skills.flatMap((skill) => skill.files)) {
    const { uri, path, mimeType, size, digest } = file;
    const known = files.get(uri);
    if (known !== undefined && known.file.digest !== digest) {
      throw new SdkError("duplicate-name", `skills: two skills have different contents of ${uri}`);
    }
    const { name = nameIn(path), description } = manifests.get(uri) ?? {};
    const resource = { uri, name, ...(description !== undefined && { description }), mimeType, size };
    files.set(uri, { file, resource, isManifest: manifests.has(uri) });
  }
  return files;
}

function directoriesOf(
  skills: readonly Skill[],
  files: ReadonlyMap<string, CatalogFile>,
): ReadonlyMap<string, readonly Resource[]> {
  const directories = new Map<string, Map<string, Resource>>();
  const add = (directory: string, child: Resource) => {
    const children = directories.get(directory) ?? new Map<string, Resource>();
    directories.set(directory, children.set(child.uri, child));
  };
  for (const { root, files: own } of skills) {
    for (const { uri } of own) {
      // Each file of a skill is in the catalog.
      add(parentOf(uri), (files.get(uri) as CatalogFile).resource);
      for (let path = parentOf(uri); path.length > root.length; path = parentOf(path)) {
        add(parentOf(path), { uri: path, name: decodeURIComponent(nameIn(path)), mimeType: DIRECTORY_TYPE });
      }
    }
  }
  return new Map([...directories].map(([uri, children]) => [uri, [...children.values()].sort(byUri)]));
}

function parentOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/"));
}

function byUri(one: Resource, other: Resource): number {
  return one.uri < other.uri ? -1 : 1;
}
