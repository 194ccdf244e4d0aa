/** What passed between a client and a server, as text that a reader can follow. */

export interface WireEntry {
  /** `line` is about the connection itself. */
  readonly from: "client" | "server" | "line";
  readonly text: string;
}

/** Sees, and for HTTP also breaks, what passes between a client and a server. */
export interface Tap extends AsyncDisposable {
  /** What has passed so far. */
  entries(): readonly WireEntry[];
  /** How many exchanges (for stdio: processes) are open. */
  readonly open: number;
}

const ARROWS = { client: ">", server: "<", line: "-" } as const;
const MAX_TEXT = 600;

export function formatEntry({ from, text }: WireEntry): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return `${ARROWS[from]} ${short.trimEnd().replaceAll("\n", "\n  ")}`;
}
