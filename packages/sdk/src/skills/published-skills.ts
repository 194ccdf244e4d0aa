/** Binds skills to a server: the methods of the extension, one resource per file, and announcements of changes. */
import { checkWholeNumber } from "../errors/option-checks.js";
import type { McpServer } from "../server/mcp-server.js";
import type { ItemRegistration } from "../server/registry.js";
import type { ResourceHandler } from "../server/resource-definition.js";
import type { Skill } from "./skill.js";
import { type CatalogFile, SkillCatalog } from "./skill-catalog.js";
import { skills as extension, getSkill, listSkills, readDirectory } from "./skills-extension.js";

const DEFAULT_PAGE_SIZE = 50;

export class PublishedSkills {
  readonly #server: McpServer;
  readonly #pageSize: number;
  readonly #registered = new Map<
    string,
    { readonly registration: ItemRegistration; readonly published: CatalogFile }
  >();
  readonly #read: ResourceHandler = ({ uri }) => this.#catalog.files.get(uri)?.file.content;
  #catalog: SkillCatalog;

  /** @throws {SdkError} `duplicate-name`, and `invalid-argument` for a page size that is no whole number from 1. */
  constructor(server: McpServer, skills: readonly Skill[], pageSize: number = DEFAULT_PAGE_SIZE) {
    checkWholeNumber("pageSize", pageSize, 1);
    const catalog = new SkillCatalog(skills, pageSize);
    this.#server = server;
    this.#pageSize = pageSize;
    this.#catalog = catalog;
    server.extend(extension.onServer({ directoryRead: true }));
    server.handle(listSkills, ({ cursor }) => this.#catalog.list(cursor));
    server.handle(getSkill, ({ uri }) => ({ skill: this.#catalog.get(uri) }));
    server.handle(readDirectory, ({ uri, cursor }) => this.#catalog.directory(uri, cursor));
    // A server of the extension declares `resources`, also while it has no skill.
    server.resource("skill://none/SKILL.md", { name: "none", listed: false }, this.#read).remove();
    this.#register(catalog);
  }

  /** The URIs of the skills, in order. */
  get uris(): readonly string[] {
    return this.#catalog.uris;
  }

  /** Replaces the skills. @throws {SdkError} `duplicate-name`; the skills then stay as they were. */
  replace(skills: readonly Skill[]): void {
    const catalog = new SkillCatalog(skills, this.#pageSize);
    const before = this.#catalog;
    try {
      this.#register(catalog);
    } catch (error) {
      // Another resource of the server has the URI of a file.
      this.#register(before);
      throw error;
    }
    this.#catalog = catalog;
    for (const [uri, { file }] of before.files) {
      if (catalog.files.get(uri)?.file.digest !== file.digest) this.#server.announce.resourceUpdated(uri);
    }
  }

  #register(catalog: SkillCatalog): void {
    for (const [uri, { registration, published }] of this.#registered) {
      if (isSameListing(published, catalog.files.get(uri))) continue;
      registration.remove();
      this.#registered.delete(uri);
    }
    for (const [uri, published] of catalog.files) {
      if (this.#registered.has(uri)) continue;
      const { uri: _uri, ...config } = published.resource;
      const registration = this.#server.resource(uri, { ...config, listed: published.isManifest }, this.#read);
      this.#registered.set(uri, { registration, published });
    }
  }
}

function isSameListing(one: CatalogFile, other: CatalogFile | undefined): boolean {
  return one.isManifest === other?.isManifest && JSON.stringify(one.resource) === JSON.stringify(other.resource);
}
