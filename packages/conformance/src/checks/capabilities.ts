/** What a server declares, and whether it serves what it declares and nothing else. */
import type { ActiveCheck, CheckArea } from "../judge/check.js";
import { ExpectationFailed, notApplicable, want, wantError } from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { describeAnswer, resultOf } from "../target/answer.js";
import { isModern } from "../target/envelope.js";
import { isObject } from "../wire/json-rpc.js";

const LISTS = [
  { name: "tools", method: "tools/list", member: "tools" },
  { name: "resources", method: "resources/list", member: "resources" },
  { name: "prompts", method: "prompts/list", member: "prompts" },
] as const;

function declared(probe: Probe, name: string): boolean {
  return isObject(probe.offer.capabilities[name]);
}

/** Declared: the list is served. Not declared: it holds nothing. */
function listCheck({ name, method, member }: (typeof LISTS)[number]): ActiveCheck {
  return {
    id: `${name}-declared`,
    requirement: `${name}:capability:declared`,
    title: `A server declares ${name} exactly if it serves ${method}.`,
    mend: `Declare the ${name} capability, or do not serve ${method}.`,
    async run(probe) {
      const answer = await probe.askOnce(method);
      if (declared(probe, name)) {
        if (resultOf(answer) !== undefined) return;
        // The MUST is to declare what is served. That the rest is served is stated.
        throw new ExpectationFailed(`a list, as ${name} is declared`, describeAnswer(answer), "warning");
      }
      const items = resultOf(answer)?.[member];
      want(!Array.isArray(items) || items.length === 0, `no ${name}, as they are not declared`, describeAnswer(answer));
    },
  };
}

export const capabilities: CheckArea = {
  area: "capabilities",
  checks: [
    ...LISTS.map(listCheck),
    {
      id: "capabilities-objects",
      requirement: "lifecycle:discover:capabilities:from-handlers",
      title: "Every declared capability is an object.",
      mend: "Declare a capability as an object, which may be empty.",
      revisions: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
      async run(probe) {
        const odd = Object.entries(probe.offer.capabilities).find(([, value]) => !isObject(value));
        want(odd === undefined, "objects", odd);
      },
    },
    {
      id: "extension-names",
      requirement: "extensions:declaration",
      title: "Every declared extension has a name with a prefix.",
      mend: "Name extensions as _meta keys with a prefix, such as com.example/feature.",
      async run(probe) {
        const { extensions } = probe.offer.capabilities;
        if (!isObject(extensions)) notApplicable("the server declares no extensions");
        const odd = Object.keys(extensions).find((name) => !/^[A-Za-z][A-Za-z0-9.-]*\/[A-Za-z0-9][\w.-]*$/.test(name));
        want(odd === undefined, "a name of the form prefix/name", odd);
      },
    },
    {
      id: "list-changed-boolean",
      requirement: "lifecycle:initialize:capabilities:from-handlers",
      title: "listChanged and subscribe are booleans.",
      mend: "Declare listChanged and subscribe as true or false, or leave them out.",
      revisions: ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"],
      async run(probe) {
        const flags = Object.values(probe.offer.capabilities)
          .filter(isObject)
          .flatMap(({ listChanged, subscribe }) => [listChanged, subscribe])
          .filter((flag) => flag !== undefined);
        const odd = flags.find((flag) => typeof flag !== "boolean");
        want(odd === undefined, "booleans", odd);
      },
    },
    {
      id: "completions-undeclared-refused",
      requirement: "completion:complete:not-supported",
      title: "A server without completions refuses completion/complete with -32601.",
      mend: "Declare completions, or answer completion/complete with -32601.",
      since: "2025-03-26",
      async run(probe) {
        if (declared(probe, "completions")) notApplicable("the server declares completions");
        const params = { ref: { type: "ref/prompt", name: "parley-check" }, argument: { name: "a", value: "" } };
        wantError(await probe.ask("completion/complete", params), -32601);
      },
    },
    {
      id: "logging-undeclared-refused",
      requirement: "logging:set-level:not-declared",
      // A client must not use what was not declared. No sentence says what a server does then.
      atMost: "note",
      title: "A server without logging refuses logging/setLevel with -32601.",
      mend: "Declare logging, or answer logging/setLevel with -32601.",
      async run(probe) {
        if (declared(probe, "logging")) notApplicable("the server declares logging");
        wantError(await probe.ask("logging/setLevel", { level: "info" }), -32601);
      },
    },
    {
      id: "subscribe-undeclared-refused",
      requirement: "resources:subscribe:capability-required",
      atMost: "note",
      title: "A server without resources.subscribe refuses resources/subscribe with -32601.",
      mend: "Declare resources.subscribe, or answer resources/subscribe with -32601.",
      async run(probe) {
        const { resources } = probe.offer.capabilities;
        if (isObject(resources) && resources.subscribe === true)
          notApplicable("the server declares resources.subscribe");
        wantError(await probe.ask("resources/subscribe", { uri: "parley-check://none" }), -32601);
      },
    },
    {
      id: "lists-same-for-all",
      requirement: "lifecycle:lists:same-for-all",
      title: "A second conversation is shown the same tools.",
      mend: "List the same tools on every connection, whatever was called before.",
      since: "2026-07-28",
      needs: ["a-tool"],
      async run(probe) {
        const peer = await probe.fresh();
        const names = (value: unknown) =>
          JSON.stringify(Array.isArray(value) ? value.map((tool) => tool?.name) : value);
        const first = resultOf(await probe.askOnce("tools/list"));
        const second = resultOf(await peer.request("tools/list"));
        want(names(first?.tools) === names(second?.tools), names(first?.tools), names(second?.tools));
      },
    },
    {
      id: "legacy-wire-clean",
      requirement: "lifecycle:stateless:unpinned-legacy-wire",
      // Legacy results are open to further members.
      atMost: "note",
      title: "Legacy results carry no resultType, caching hints or server identity of the modern era.",
      mend: "Add resultType, ttlMs, cacheScope and serverInfo to results of modern requests only.",
      watch(answer, probe) {
        const result = resultOf(answer);
        if (!result || isModern(probe.revision)) return false;
        const isHandshake = answer.request?.method === "initialize";
        const modern = ["resultType", "ttlMs", "cacheScope"].find((key) => key in result);
        want(modern === undefined || isHandshake, "no members of the modern era", modern);
        return true;
      },
    },
  ],
};
