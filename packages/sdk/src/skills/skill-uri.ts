/** The URIs of skills: `<root>/SKILL.md`, where the last segment of the root is the skill's name, and files below the root. */

/** The file that every skill has at its root. */
export const SKILL_FILE = "SKILL.md";

/** Agent Skills: up to 64 lower-case letters, digits and single hyphens between them. */
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

const SKILL_URI = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#\s\\]+\/)+SKILL\.md$/i;

export function isSkillName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name);
}

/** The directory of a `SKILL.md`, without a slash at its end. Undefined for any other URI. */
export function rootOf(uri: string): string | undefined {
  if (!SKILL_URI.test(uri)) return undefined;
  const root = uri.slice(0, -SKILL_FILE.length - 1);
  return pathSegments(root.slice(root.indexOf("://") + 3)) === undefined ? undefined : root;
}

/** The last segment of a skill's root, which is the skill's name. */
export function nameIn(root: string): string {
  return root.slice(root.lastIndexOf("/") + 1);
}

/** The path of a file relative to the root, decoded. Undefined for a URI that is not below the root, or that is no safe path. */
export function pathWithin(root: string, uri: string): string | undefined {
  if (!uri.startsWith(`${root}/`)) return undefined;
  return pathSegments(uri.slice(root.length + 1))?.join("/");
}

/** The URI of a path below a root. */
export function uriWithin(root: string, path: string): string {
  return `${root}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/**
 * The decoded segments of a path in a URI. Undefined if a segment is empty, "." or "..", if it contains a slash, a backslash, a colon
 * or a control character once decoded, or if the path has a query or a fragment. Colons are drives and streams on Windows.
 */
function pathSegments(path: string): string[] | undefined {
  const segments: string[] = [];
  for (const encoded of path.split("/")) {
    const segment = decoded(encoded);
    if (segment === undefined || !isSafeSegment(segment) || /[?#]/.test(encoded)) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** Whether a file of this name stays in its directory, on every operating system. */
export function isSafeSegment(segment: string): boolean {
  return segment !== "" && segment !== "." && segment !== ".." && !/[/\\:\p{Cc}]/u.test(segment);
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
