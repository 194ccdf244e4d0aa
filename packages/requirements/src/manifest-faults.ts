/** What can be wrong with the manifest itself, as sentences. The facts it is held against are handed in. */
import {
  NEWEST_REVISION,
  REVISIONS,
  type Requirement,
  type Requirements,
  type Revision,
  type Strength,
} from "./requirement.js";

export interface Facts {
  /** By revision and page, "seps" and proposal, or the repository of an extension and its page, the anchors of its sections separated by spaces. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By the same and anchor, the strongest key word of RFC 2119 in the section; absent where it has none. */
  readonly keywords: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  /** The anchors of docs/decisions.md. */
  readonly decisions: ReadonlySet<string>;
}

/** Weakest first. */
const KEYWORDS: readonly string[] = ["may", "should", "must"];
const ID = /^[a-z]+(?:-[a-z]+)*(?::[a-z0-9]+(?:-[a-z0-9]+)*)+$/;
const LINK = /^https:\/\/modelcontextprotocol\.io\/specification\/(\d{4}-\d{2}-\d{2})\/([a-z/-]+)#([a-z0-9-]+)$/;
/** A proposal for an extension. Its sections are under "seps", and hold in every revision. */
const PROPOSAL = /^https:\/\/modelcontextprotocol\.io\/(seps)\/([a-z0-9-]+)#([a-z0-9-]+)$/;
/** The specification of an extension in a repository of its own. It holds in every revision, too. */
const EXTENSION =
  /^https:\/\/github\.com\/modelcontextprotocol\/(ext-[a-z]+)\/blob\/main\/specification\/(?:[0-9-]+|stable)\/([a-z]+)\.mdx#([a-z0-9-]+)$/;
/** Pages of the newest revision that say how older ones are to be treated. */
const ACROSS_REVISIONS: ReadonlySet<string> = new Set(["basic/versioning", "basic/transports/stdio"]);

export function manifestFaults(requirements: Requirements, facts: Facts): string[] {
  const faults: string[] = [];
  for (const [id, requirement] of Object.entries(requirements)) {
    for (const fault of entryFaults(id, requirement, facts)) faults.push(`${id}: ${fault}`);
  }
  for (const decision of unusedDecisions(requirements, facts))
    faults.push(`decision "${decision}": no entry rests on it`);
  return faults;
}

function* entryFaults(id: string, requirement: Requirement, facts: Facts): Iterable<string> {
  const { behavior, since = REVISIONS[0], until = NEWEST_REVISION, source, strength } = requirement;
  if (!ID.test(id)) yield "an id is lower-case words joined by colons";
  if (!/^\S.*\.$/.test(behavior)) yield "a behavior is one sentence with a full stop";
  if (since > until) yield `since ${since} is after until ${until}`;
  if (requirement.since === REVISIONS[0]) yield "since the first revision goes without saying";
  if (requirement.until === NEWEST_REVISION) yield "until the newest revision goes without saying";
  if (typeof source !== "string") {
    if (strength !== "decision") yield `a decision's strength is "decision", not "${strength}"`;
    if (!facts.decisions.has(source.decision)) yield `docs/decisions.md has no section "${source.decision}"`;
    return;
  }
  if (strength === "decision") yield 'strength "decision" needs a decision as its source';
  yield* linkFaults(source, until, strength, facts);
}

function* linkFaults(source: string, until: Revision, strength: Strength, facts: Facts): Iterable<string> {
  const [, revision = "", page = "", anchor = ""] =
    LINK.exec(source) ?? PROPOSAL.exec(source) ?? EXTENSION.exec(source) ?? [];
  const anchors = facts.sections[revision]?.[page];
  if (anchors === undefined) {
    yield `no known page of the specification: ${source}`;
    return;
  }
  if (!anchors.split(" ").includes(anchor)) yield `the page has no section "${anchor}": ${source}`;
  const strongest = facts.keywords[revision]?.[page]?.[anchor];
  if (KEYWORDS.indexOf(strength) > KEYWORDS.indexOf(strongest ?? ""))
    yield `it is a "${strength}", but the strongest key word of its section is ${strongest ?? "none"}: ${source}`;
  const speaksOfOlder = revision === NEWEST_REVISION && ACROSS_REVISIONS.has(page);
  const isExtension = revision === "seps" || revision.startsWith("ext-");
  if (revision !== until && !isExtension && !speaksOfOlder)
    yield `it holds until ${until}, but its source is of ${revision}`;
}

function unusedDecisions(requirements: Requirements, facts: Facts): string[] {
  const used = new Set(
    Object.values(requirements).map(({ source }) => (typeof source === "string" ? "" : source.decision)),
  );
  return [...facts.decisions].filter((decision) => !used.has(decision));
}
