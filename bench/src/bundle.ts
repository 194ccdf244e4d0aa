/** How much a server and a client weigh, bundled for a web-standard runtime. */
import { bundledSize } from "./bundle/bundled-size.js";
import { type Figure, type Measure, type Role, type RunOptions, takesPart } from "./figure.js";

interface Candidate {
  readonly name: string;
  readonly role: Role;
  readonly setting: "server" | "client";
  readonly file: string;
}

const CANDIDATES: readonly Candidate[] = [
  candidate("parley", "ours", "server"),
  candidate("official v2", "peer", "server"),
  candidate("official v1", "peer", "server"),
  candidate("tmcp", "peer", "server"),
  candidate("mcp-lite", "peer", "server"),
  candidate("parley", "ours", "client"),
  candidate("official v2", "peer", "client"),
  candidate("official v1", "peer", "client"),
];

export const bundle: Measure = {
  name: "bundle",
  title: "Bundle size, minified and gzipped",
  notMeasured:
    "A server is the server class and its handler for web-standard requests, a client the client class and HTTP; " +
    "unused code is left out by the bundler. Schema libraries count only where the implementation needs one itself. " +
    "Not measured: fastmcp, which is made for Node alone.",
  targets: [{ setting: "server", compare: "absolute", at: 60, label: "server bundle" }],
  async run({ only }: RunOptions) {
    const figures: Figure[] = [];
    for (const { file, name, role, setting } of CANDIDATES.filter((each) => takesPart(each, only))) {
      const { gzippedBytes } = await bundledSize(file);
      figures.push({ measure: "bundle", setting, contender: name, role, unit: "KB", values: [gzippedBytes / 1_024] });
    }
    return figures;
  },
};

function candidate(name: string, role: Role, setting: Candidate["setting"]): Candidate {
  const entry = `bundle/entries/${name.replace(" ", "-")}-${setting}.js`;
  return { name, role, setting, file: new URL(entry, import.meta.url).pathname };
}
