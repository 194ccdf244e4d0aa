/** The layers of the SDK, in order: a row may import itself and the rows above it. Folders in one row are strangers. */
export const layers: readonly (readonly string[])[] = [
  ["protocol"],
  ["errors"],
  ["schema"],
  ["uri-template"],
  ["wire"],
  ["transport"],
  ["dispatch"],
  ["era"],
  ["routing"],
  ["server", "client"],
  ["hosting"],
  ["testing"],
];

/** Folders that may import Node's own modules; everything else runs on any web-standard runtime. */
export const nodeFolders: ReadonlySet<string> = new Set(["hosting"]);
