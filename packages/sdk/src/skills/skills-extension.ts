/**
 * The skills extension (SEP-2640): its identifier, its three methods and the entries that they carry. serve-skills.ts serves the
 * methods, skills-client.ts calls them. The contents of skills are resources.
 */
import type { Resource } from "../protocol/resources.js";
import { defineExtension, type Extension } from "../routing/extension.js";
import { defineMethod, type MethodDefinition } from "../routing/method-definition.js";
import type { JsonObject } from "../runtime/json.js";
import type { JsonSchema } from "../schema/schema.js";

/** The YAML frontmatter of a `SKILL.md`, as JSON. */
export interface SkillFrontmatter extends JsonObject {
  name: string;
  description: string;
}

/** A file of a skill, as its entry lists it. */
export interface SkillResource {
  uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits, of the raw bytes. */
  digest: string;
  /** The number of raw bytes. Drafts before the referee's 0.2.0 leave it out. */
  size?: number | undefined;
}

/** A skill as `skills/list` and `skills/get` describe it. */
export interface SkillEntry {
  /** The URI of the skill's `SKILL.md`. */
  uri: string;
  frontmatter: SkillFrontmatter;
  /** Every file of the skill. `"dynamic"` or absent for a skill whose content has no stable digests. */
  resources?: SkillResource[] | "dynamic" | undefined;
}

/** A schema whose values have a known type. */
interface SchemaOf<Value> {
  readonly "~standard": { readonly types?: { readonly input: Value; readonly output: Value } | undefined };
}

interface Paged {
  cursor?: string | undefined;
}

interface PageOf {
  nextCursor?: string | undefined;
}

const uri = { type: "string" };
const cursor = { type: "string" };
const nextCursor = { type: "string" };

/** `skills/list`. */
export const listSkills: MethodDefinition<
  SchemaOf<Paged>,
  SchemaOf<PageOf & { skills: SkillEntry[] }>,
  "skills"
> = defineMethod("skills/list", {
  params: typed<Paged>({ type: "object", properties: { cursor } }),
  // SkillsClient checks each entry by itself, so that one bad entry does not hide the others.
  result: typed<PageOf & { skills: SkillEntry[] }>({
    type: "object",
    properties: { skills: { type: "array", items: { type: "object" } }, nextCursor },
    required: ["skills"],
  }),
  page: "skills",
  cacheable: true,
});

/** `skills/get`. */
export const getSkill: MethodDefinition<
  SchemaOf<{ uri: string }>,
  SchemaOf<{ skill: SkillEntry }>,
  undefined
> = defineMethod("skills/get", {
  params: typed<{ uri: string }>({ type: "object", properties: { uri }, required: ["uri"] }),
  result: typed<{ skill: SkillEntry }>({
    type: "object",
    properties: { skill: { type: "object" } },
    required: ["skill"],
  }),
  cacheable: true,
});

/** `resources/directory/read`: the direct children of a directory. */
export const readDirectory: MethodDefinition<
  SchemaOf<Paged & { uri: string }>,
  SchemaOf<PageOf & { resources: Resource[] }>,
  "resources"
> = defineMethod("resources/directory/read", {
  params: typed<Paged & { uri: string }>({ type: "object", properties: { uri, cursor }, required: ["uri"] }),
  result: typed<PageOf & { resources: Resource[] }>({
    type: "object",
    properties: {
      resources: {
        type: "array",
        items: { type: "object", properties: { uri, name: { type: "string" } }, required: ["uri", "name"] },
      },
      nextCursor,
    },
    required: ["resources"],
  }),
  page: "resources",
  cacheable: true,
});

/** The settings that a server declares. */
export interface SkillsServerSettings {
  /** Whether the server serves `resources/directory/read`. @defaultValue false */
  directoryRead?: boolean | undefined;
}

/** The skills extension. Only servers must declare it, so a server serves its methods to every client. */
export const skills: Extension<JsonSchema, SchemaOf<SkillsServerSettings>> = defineExtension(
  "io.modelcontextprotocol/skills",
  {
    serverSettings: typed<SkillsServerSettings>({
      type: "object",
      properties: { directoryRead: { type: "boolean" } },
    }),
    methods: [listSkills, getSkill, readDirectory],
    fallback: { server: "serve" },
  },
);

/** Gives plain JSON Schema the type of the values that it accepts. */
function typed<Value>(schema: JsonSchema): SchemaOf<Value> {
  // `~standard` holds types only here: without it at run time, the SDK compiles the value as JSON Schema.
  return schema as unknown as SchemaOf<Value>;
}
