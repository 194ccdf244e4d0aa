/** The skills extension: skills as resources, their entries and digests, and folders of skills. */
import { LOCAL, type Requirements } from "./requirement.js";

const proposal = "https://modelcontextprotocol.io/seps/2640-skills-extension";
/** The page of the extension, which asks for more than the proposal. */
const page = "https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx";

export const skills: Requirements = {
  "skills:declaration": {
    behavior:
      "A server with skills declares the extension with directoryRead, and resources, also while it has no skill.",
    source: `${page}#capability-negotiation`,
    strength: "must",
  },
  "skills:any-client": {
    behavior: "A client that did not declare the extension gets the server's skills.",
    source: { decision: "skills-any-client" },
    strength: "decision",
  },
  "skills:list:entries": {
    behavior: "skills/list has an entry for every skill, which lists every file once with the digest of its bytes.",
    source: `${proposal}#resources`,
    strength: "must",
  },
  "skills:list:sizes": {
    behavior: "Each file of an entry has its size in bytes.",
    source: `${page}#resources`,
    strength: "must",
  },
  "skills:list:pages": {
    behavior: "skills/list comes in pages, none of which splits an entry, and refuses a cursor that it did not give.",
    source: `${proposal}#enumeration-via-skills-list`,
    strength: "stated",
  },
  "skills:list:cache-hints": {
    behavior: "Results of skills/list and skills/get carry the server's cache hint.",
    source: `${page}#listing-skills`,
    strength: "must",
    since: "2026-07-28",
  },
  "skills:list:frontmatter": {
    behavior: "The frontmatter of an entry is the YAML of its SKILL.md as JSON, with every field.",
    source: `${proposal}#frontmatter`,
    strength: "must",
  },
  "skills:get:entry": {
    behavior: "skills/get answers a listed skill's URI with the entry of skills/list, without a cursor.",
    source: `${proposal}#retrieval-via-skills-get`,
    strength: "must",
  },
  "skills:get:unknown": {
    behavior: "skills/get answers -32602 for a URI of no skill, such as one of a supporting file.",
    source: `${proposal}#retrieval-via-skills-get`,
    strength: "must",
  },
  "skills:resources:metadata": {
    behavior: "Each SKILL.md is in resources/list with the name and description of its frontmatter, as text/markdown.",
    source: `${proposal}#resource-metadata`,
    strength: "should",
  },
  "skills:resources:read": {
    behavior:
      "Every file is read by resources/read: UTF-8 as text, other bytes as a blob, with a digest that fits the entry.",
    source: `${proposal}#reading`,
    strength: "stated",
  },
  "skills:resources:traversal": {
    behavior: "A URI that leads out of a skill, as it is or once decoded, is not found.",
    source: { decision: "skills-in-memory" },
    strength: "decision",
  },
  "skills:nested": {
    behavior: "A nested skill has an entry of its own, and its files are also files of the skill around it.",
    source: `${proposal}#resources`,
    strength: "must",
  },
  "skills:directory:children": {
    behavior:
      "resources/directory/read lists the direct children of each directory of a skill, directories as inode/directory.",
    source: `${proposal}#resources-directory-read`,
    strength: "must",
  },
  "skills:directory:pages": {
    behavior: "resources/directory/read comes in pages.",
    source: `${proposal}#resources-directory-read`,
    strength: "stated",
  },
  "skills:directory:unknown": {
    behavior: "resources/directory/read answers -32602 for the URI of a file, and for a URI of nothing.",
    source: `${proposal}#resources-directory-read`,
    strength: "must",
  },
  "skills:update": {
    behavior: "Replaced skills announce a changed list of resources, and each changed file to its subscribers.",
    source: { decision: "skills-changes" },
    strength: "decision",
    needs: ["session", "notifications"],
  },
  "skills:computed": {
    behavior:
      "A file that a function computes is served with its digest until refresh, which serves and announces what is new.",
    source: { decision: "skills-in-memory" },
    strength: "decision",
    needs: ["session", "notifications"],
  },
  "skills:computed:refused": {
    behavior:
      "A function of a file that fails, or returns too much, is reported with its file, and the skills stay as they were.",
    source: { decision: "skills-limits" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:definition:refused": {
    behavior:
      "A skill without a SKILL.md, with a name against the rules or unlike its path, or with unsafe paths is refused with the reason.",
    source: `${proposal}#resource-mapping`,
    strength: "must",
    over: LOCAL,
  },
  "skills:definition:limits": {
    behavior: "A skill of more than 512 files or 16 MiB is refused, and other limits can be set.",
    source: { decision: "skills-limits" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:frontmatter:hostile": {
    behavior:
      "Frontmatter with aliases, with more than 32 levels or of more than 16,384 characters is refused at once.",
    source: { decision: "skills-frontmatter" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:folder:served": {
    behavior: "Each directory with a SKILL.md is a skill at its path below the folder, without hidden files.",
    source: { decision: "skills-in-memory" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:folder:bad-skill": {
    behavior: "A bad skill of a folder is reported with the reason and left out; the others are served.",
    source: { decision: "skills-in-memory" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:folder:links": {
    behavior: "A skill with a symbolic link is reported and not served, wherever the link leads.",
    source: { decision: "skills-in-memory" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:folder:limits": {
    behavior: "Skills beyond the limits of their folder are reported and not served.",
    source: { decision: "skills-limits" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:folder:watched": {
    behavior: "A file that changes, comes or goes in a folder is announced and served.",
    source: { decision: "skills-changes" },
    strength: "decision",
    needs: ["session", "notifications"],
  },
  "skills:client:list": {
    behavior: "A client lists the skills of all pages, and reads none of their files.",
    source: { decision: "skills-client" },
    strength: "decision",
  },
  "skills:client:labels": {
    behavior: "Skills with the same name are listed both, with their paths as labels.",
    source: `${proposal}#names`,
    strength: "must",
  },
  "skills:client:get": {
    behavior: "A client gets the current entry of a skill by its URI, and refuses the entry of another.",
    source: `${proposal}#retrieval-via-skills-get`,
    strength: "stated",
  },
  "skills:client:read": {
    behavior: "A client reads text and bytes that fit the entry of their skill.",
    source: `${proposal}#integrity-and-verification`,
    strength: "must",
  },
  "skills:client:verify": {
    behavior:
      "Content of another size or digest, or a SKILL.md with another frontmatter than its entry, is refused and not returned.",
    source: `${proposal}#integrity-and-verification`,
    strength: "must",
  },
  "skills:client:unlisted": {
    behavior: "A file that the entry does not list is refused, and no request is sent.",
    source: `${proposal}#integrity-and-verification`,
    strength: "must",
  },
  "skills:client:bad-entries": {
    behavior: "An entry that breaks the rules is reported with the reason and left out; the others are listed.",
    source: { decision: "skills-client" },
    strength: "decision",
  },
  "skills:client:unverified": {
    behavior: "A skill without digests is read only on request, and its frontmatter is still compared.",
    source: `${proposal}#resources`,
    strength: "may",
  },
  "skills:client:directory": {
    behavior: "A client sends resources/directory/read only to a server that declared directoryRead.",
    source: `${proposal}#capability-declaration`,
    strength: "must",
  },
  "skills:client:undeclared": {
    behavior: "To a server that did not declare the extension, a client sends none of its methods.",
    source: { decision: "skills-client" },
    strength: "decision",
  },
  "skills:save:files": {
    behavior: "A saved skill is a directory of its name with the bytes of every file, none of which is executable.",
    source: { decision: "skills-saved" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:save:whole": {
    behavior: "A skill with one file that fails verification is not saved at all, and leaves nothing in the folder.",
    source: { decision: "skills-saved" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:save:existing": {
    behavior: "A file, directory or link of the skill's name is not overwritten or followed.",
    source: { decision: "skills-saved" },
    strength: "decision",
    over: LOCAL,
  },
  "skills:save:paths": {
    behavior:
      "A path that leads out of the skill's directory, that Windows reads as a device, or that is deeper than 16 directories, is refused.",
    source: { decision: "skills-saved" },
    strength: "decision",
    over: LOCAL,
  },
};
