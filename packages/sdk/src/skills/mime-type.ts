/** MIME types of the files that skills consist of, by their extension. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["js", "text/javascript"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["mjs", "text/javascript"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["py", "text/x-python"],
  ["sh", "application/x-sh"],
  ["svg", "image/svg+xml"],
  ["toml", "application/toml"],
  ["ts", "text/x-typescript"],
  ["webp", "image/webp"],
  ["xml", "application/xml"],
  ["yaml", "application/yaml"],
  ["yml", "application/yaml"],
  ["zip", "application/zip"],
]);

export const DIRECTORY_TYPE = "inode/directory";

/** The MIME type of a file, by its extension. Others are plain text if their bytes are UTF-8. */
export function mimeTypeOf(path: string, isText: boolean): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return TYPES.get(extension) ?? (isText ? "text/plain" : "application/octet-stream");
}
