/** URIs of a peer against the templates of an author. */
import { hasDotDotSegment, isAbsolutePath, isUnsafeInPath } from "../../../packages/sdk/src/protocol/path-safety.js";
import { parseTemplate, type UriTemplate } from "../../../packages/sdk/src/uri-template/uri-template.js";
import type { CostTarget } from "./cost-target.js";
import { type RepeatedText, repeated, textCost } from "./repeated-text.js";

/** The longest line that a server reads by default. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Constructs of templates, with the start of a URI that follows each. */
const CONSTRUCTS: Readonly<Record<string, readonly [template: string, start: string]>> = {
  simple: ["x://{a}", "x://"],
  list: ["x://{a,b,c}", "x://"],
  prefix: ["x://{a:9}", "x://"],
  segments: ["x://{a}/{b}/{c}.{d}", "x://"],
  reserved: ["x://{+p}", "x://"],
  reservedBetween: ["x://{h}/{+p}/{a}/{b}.{c}", "x://h/"],
  label: ["x://h{.a,b,c}", "x://h"],
  path: ["x://h{/a,b,c}", "x://h"],
  explodedPath: ["x://h{/p*}", "x://h"],
  parameters: ["x://h{;q*}", "x://h"],
  query: ["x://h{?q,r,s}", "x://h?"],
  explodedQuery: ["x://h{?q*}", "x://h?"],
  continuation: ["x://h?q=1{&r,s*}", "x://h?q=1"],
  fragment: ["x://h{#f}", "x://h#"],
  optionals: ["x://{a}{/b}{/c}{.d}{;e}{?f}{&g}{#h}", "x://"],
};

const PIECES: readonly string[] = [
  ...["a", "/", ",", ".", ";q", "&q", "?q=", "&s=1", "#", "%41", "%F0%9F%98%80", "%", "\u4e00", "\ud800", "/a", "../"],
  ...["%2e", "a.", "q&", "=", "%i", "\t"],
];

const MANY_TEMPLATES = 500;

export const URI_COSTS: readonly CostTarget<RepeatedText>[] = [
  ...Object.entries(CONSTRUCTS).map(([construct, [template, start]]) =>
    costOf(`cost-uri-${construct}`, [template], start),
  ),
  costOf(
    "cost-uri-many-templates",
    Array.from({ length: MANY_TEMPLATES }, (_, index) => `x://{a}/{b}/k${index}{?q*}`),
    "x://",
  ),
  costOf(
    "cost-uri-many-reserved",
    Array.from({ length: MANY_TEMPLATES }, (_, index) => `x://{+p}/{b}/k${index}`),
    "x://",
  ),
];

function costOf(name: string, texts: readonly string[], start: string): CostTarget<RepeatedText> {
  const templates = texts.map(parseTemplate);
  return textCost({
    name,
    seeds: PIECES.slice(0, 10).map((piece) => repeated(piece, start)),
    pieces: PIECES,
    maxLength: MAX_BYTES,
    prepare: (uri) => () => matchAll(templates, uri),
  });
}

/** As a server does: the first template that fits, and a look at each of its values. */
function matchAll(templates: readonly UriTemplate[], uri: string): void {
  for (const template of templates) {
    const variables = template.match(uri);
    if (variables === undefined) continue;
    for (const value of Object.values(variables).flat()) isUnsafeInPath(value) || isAbsolutePath(value);
    return;
  }
  hasDotDotSegment(uri);
}
