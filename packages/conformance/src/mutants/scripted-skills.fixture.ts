/** The skills of the scripted server: two with listed files, and one whose files have no stable digests. */
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { RpcError } from "./rpc-error.fixture.js";

/** Whether a guard of the server is on. */
type Guards = (name: string) => boolean;

export const SKILLS = "io.modelcontextprotocol/skills";

const PAGE = 2;
const DESCRIPTION = "Does it well";

function manifest(name: string): string {
  return `---\nname: ${name}\ndescription: ${DESCRIPTION}\n---\n\nDo it.\n`;
}

const FILES: Readonly<Record<string, string>> = {
  "skill://brief/SKILL.md": manifest("brief"),
  "skill://brief/forms/letter.md": "Dear reader",
  "skill://team/guide/SKILL.md": manifest("guide"),
  "skill://team/live/SKILL.md": manifest("live"),
};

/** What resources/read returns of the files. */
export const SKILL_CONTENTS: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(FILES).map(([uri, text]) => [uri, { uri, mimeType: "text/markdown", text }]),
);

export const SKILL_RESOURCE: JsonObject = {
  uri: "skill://brief/SKILL.md",
  name: "brief",
  description: DESCRIPTION,
  mimeType: "text/markdown",
};

function entry(path: string): JsonObject {
  const name = path.split("/").at(-1) ?? "";
  const files = Object.entries(FILES).filter(([uri]) => uri.startsWith(`skill://${path}/`));
  const resources = files.map(([uri, text]) => ({
    uri,
    digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
    size: Buffer.byteLength(text),
  }));
  return {
    uri: `skill://${path}/SKILL.md`,
    frontmatter: { name, description: DESCRIPTION },
    resources: name === "live" ? "dynamic" : resources,
  };
}

const ENTRIES: readonly JsonObject[] = ["brief", "team/guide", "team/live"].map(entry);

/** The methods of the extension. */
export function serveSkills(guards: Guards, method: string, { uri, cursor }: JsonObject): JsonObject | undefined {
  if (method === "skills/list") {
    const start = cursor === undefined ? 0 : Number(cursor);
    const end = start + PAGE;
    const more = end < ENTRIES.length ? { nextCursor: String(end) } : {};
    return { skills: structuredClone(ENTRIES.slice(start, end)), ...more };
  }
  if (method === "skills/get") {
    const found = ENTRIES.find((candidate) => candidate.uri === uri);
    const isFile = String(uri) in FILES;
    if (!found && guards(isFile ? "skill file" : "skill uri")) throw new RpcError(-32602, "params.uri is no skill");
    return { skill: structuredClone(found ?? ENTRIES[0]) };
  }
  if (method !== "resources/directory/read") return undefined;
  const below = Object.keys(FILES).filter((file) => file.startsWith(`${uri}/`));
  const isFile = String(uri) in FILES;
  if (below.length === 0 && guards(isFile ? "directory file" : "directory uri")) {
    throw new RpcError(-32602, "params.uri is no directory");
  }
  const names = new Set(below.map((file) => file.slice(String(uri).length + 1).split("/")[0] ?? ""));
  const resources = [...names].map((name) => {
    const child = `${uri}/${name}`;
    return { uri: child, name, mimeType: isObject(SKILL_CONTENTS[child]) ? "text/markdown" : "inode/directory" };
  });
  return { resources };
}
