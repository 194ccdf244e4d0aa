/** What a check needs from the server. A feature that a server may lack is "not applicable"; the rest is "not observed". */
import { isObject } from "../wire/json-rpc.js";
import { Undecided } from "./expectations.js";
import type { Offer } from "./offer.js";

export type Need =
  | "tools"
  | "resources"
  | "prompts"
  | "completions"
  | "logging"
  | "subscribe"
  | "a-tool"
  | "a-resource"
  | "a-template"
  | "a-prompt"
  | "a-plain-prompt"
  | "a-prompt-with-required-argument"
  | "a-call"
  | "session"
  | "legacy-only"
  | "modern-only"
  | "authorization";

type Lack = readonly ["not applicable" | "not observed", string] | undefined;

function capability(name: string): (offer: Offer) => Lack {
  return (offer) =>
    isObject(offer.capabilities[name]) ? undefined : ["not applicable", `the server does not declare ${name}`];
}

function listed(list: "tools" | "resources" | "templates" | "prompts", what: string): (offer: Offer) => Lack {
  const declares = capability(list === "templates" ? "resources" : list);
  return (offer) =>
    declares(offer) ?? (offer[list].length > 0 ? undefined : ["not observed", `the server lists no ${what}`]);
}

const LACKS: Readonly<Record<Need, (offer: Offer) => Lack>> = {
  tools: capability("tools"),
  resources: capability("resources"),
  prompts: capability("prompts"),
  completions: capability("completions"),
  logging: capability("logging"),
  subscribe: (offer) =>
    isObject(offer.capabilities.resources) && offer.capabilities.resources.subscribe === true
      ? undefined
      : ["not applicable", "the server does not declare resources.subscribe"],
  "a-tool": listed("tools", "tool"),
  "a-resource": listed("resources", "resource"),
  "a-template": listed("templates", "resource template"),
  "a-prompt": listed("prompts", "prompt"),
  "a-plain-prompt": (offer) =>
    LACKS["a-prompt"](offer) ??
    (offer.plainPrompt === undefined ? ["not observed", "every prompt has a required argument"] : undefined),
  "a-prompt-with-required-argument": (offer) =>
    LACKS["a-prompt"](offer) ??
    (offer.demandingPrompt === undefined ? ["not observed", "no prompt has a required argument"] : undefined),
  "a-call": (offer) =>
    LACKS["a-tool"](offer) ??
    (offer.calls.length === 0
      ? ["not observed", "no tool may be called; use --call tool='{…}' or --allow-calls"]
      : undefined),
  session: (offer) => (offer.sessionId === undefined ? ["not applicable", "the server opens no session"] : undefined),
  "legacy-only": (offer) =>
    offer.claimed.some((revision) => revision >= "2026-07-28")
      ? ["not applicable", "the server also speaks a modern revision"]
      : undefined,
  "modern-only": (offer) =>
    offer.claimed.some((revision) => revision < "2026-07-28")
      ? ["not applicable", "the server also speaks a legacy revision"]
      : undefined,
  authorization: (offer) =>
    offer.isProtected ? undefined : ["not applicable", "the server answers without authorization"],
};

/** @throws {Undecided} if the server lacks one of them. */
export function assertNeeds(needs: readonly Need[], offer: Offer): void {
  for (const need of needs) {
    const lack = LACKS[need](offer);
    if (lack) throw new Undecided(...lack);
  }
}
