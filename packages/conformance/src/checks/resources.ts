/** Reading resources, and subscribing to them in the legacy era. */
import type { CheckArea } from "../judge/check.js";
import {
  ExpectationFailed,
  notApplicable,
  notObserved,
  want,
  wantError,
  wantRefusal,
  wantResult,
} from "../judge/expectations.js";
import type { Probe } from "../judge/probe.js";
import { describeAnswer, errorOf, resultOf } from "../target/answer.js";
import { isObject, type JsonObject } from "../wire/json-rpc.js";
import { contentsFault, isBase64 } from "./content.js";

const NO_URI = "parley-check://no-such-resource";
const NO_URI_AT_ALL = "../parley-check";
const MAX_READ = 5;

/** The results of reading the first listed resources, each read once. */
async function readSome(probe: Probe): Promise<JsonObject[]> {
  const results: JsonObject[] = [];
  for (const { uri } of probe.offer.resources.slice(0, MAX_READ)) {
    const result = resultOf(await probe.askOnce("resources/read", { uri }));
    if (result && Array.isArray(result.contents)) results.push(result);
  }
  if (results.length === 0) notObserved("no listed resource could be read");
  return results;
}

async function contentsOfSome(probe: Probe): Promise<unknown[]> {
  return (await readSome(probe)).flatMap(({ contents }) => (Array.isArray(contents) ? contents : []));
}

export const resources: CheckArea = {
  area: "resources",
  checks: [
    {
      id: "resource-read",
      requirement: "resources:read:text",
      title: "The first listed resource can be read.",
      mend: "Serve resources/read for every URI that resources/list names.",
      needs: ["a-resource"],
      async run(probe) {
        const [first] = probe.offer.resources;
        const { contents } = wantResult(await probe.askOnce("resources/read", { uri: first?.uri }));
        want(Array.isArray(contents), "an array as contents", contents);
      },
    },
    {
      id: "resource-contents-uri",
      requirement: "resources:read:text",
      title: "Everything that is read names its URI.",
      mend: "Send uri with each item of contents.",
      needs: ["a-resource"],
      async run(probe) {
        const odd = (await contentsOfSome(probe)).find((item) => !isObject(item) || typeof item.uri !== "string");
        want(odd === undefined, "contents with uri", odd);
      },
    },
    {
      id: "resource-contents-body",
      requirement: "resources:read:text",
      title: "Everything that is read has text or blob.",
      mend: "Send text, or bytes as Base64 in blob, with each item of contents.",
      needs: ["a-resource"],
      async run(probe) {
        const odd = (await contentsOfSome(probe)).find(
          (item) => isObject(item) && typeof item.text !== "string" && typeof item.blob !== "string",
        );
        want(odd === undefined, "contents with text or blob", odd);
      },
    },
    {
      id: "resource-blob-base64",
      requirement: "resources:read:blob",
      title: "The bytes of a resource are Base64.",
      mend: "Encode blob as standard Base64 with padding.",
      needs: ["a-resource"],
      async run(probe) {
        const blobs = (await contentsOfSome(probe)).filter(isObject).filter(({ blob }) => typeof blob === "string");
        if (blobs.length === 0) notApplicable("no resource that was read is binary");
        const odd = blobs.find(({ blob }) => !isBase64(blob));
        want(odd === undefined, "Base64", odd?.blob);
      },
    },
    {
      id: "resource-contents-mime-type",
      requirement: "resources:read:formats",
      title: "The MIME types of what is read have the form type/subtype.",
      mend: "Send mimeType as type/subtype, or leave it out.",
      needs: ["a-resource"],
      async run(probe) {
        const faults = (await contentsOfSome(probe)).map(contentsFault);
        const odd = faults.find((fault) => fault?.includes("mimeType"));
        want(odd === undefined, "a MIME type", odd);
      },
    },
    {
      id: "resource-unknown",
      requirement: "resources:read:unknown-uri",
      title: "Reading what does not exist is answered with -32602.",
      mend: "Answer unknown URIs with error -32602.",
      needs: ["resources"],
      async run(probe) {
        wantError(await probe.ask("resources/read", { uri: NO_URI }), -32602);
      },
    },
    {
      id: "resource-unknown-legacy",
      requirement: "resources:read:unknown-uri-legacy",
      title: "Reading what does not exist is answered with -32002 in the legacy era.",
      mend: "Answer unknown URIs with error -32002.",
      needs: ["resources"],
      async run(probe) {
        wantError(await probe.ask("resources/read", { uri: NO_URI }), -32002);
      },
    },
    {
      id: "resource-unknown-refused",
      requirement: "resources:read:empty-contents",
      title: "Reading what does not exist is an error, not empty contents.",
      mend: "Answer unknown URIs with an error.",
      since: "2026-07-28",
      needs: ["resources"],
      async run(probe) {
        const answer = await probe.ask("resources/read", { uri: NO_URI });
        const { contents } = resultOf(answer) ?? {};
        want(!Array.isArray(contents) || contents.length > 0, "an error", describeAnswer(answer));
      },
    },
    {
      id: "resource-unknown-names-uri",
      requirement: "resources:read:absent",
      title: "The refusal of an unknown resource names its URI in data.uri.",
      mend: "Put the URI into error.data.uri.",
      needs: ["resources"],
      async run(probe) {
        const error = errorOf(await probe.ask("resources/read", { uri: NO_URI }));
        if (!error) notObserved("the server does not refuse an unknown resource");
        want(isObject(error.data) && error.data.uri === NO_URI, `data.uri "${NO_URI}"`, error.data);
      },
    },
    {
      id: "resource-uri-missing",
      requirement: "protocol:error:invalid-params",
      title: "A resources/read without a URI is refused.",
      mend: "Check that params.uri is a string: error -32602.",
      needs: ["resources"],
      async run(probe) {
        wantRefusal(await probe.ask("resources/read", {}));
      },
    },
    {
      id: "resource-uri-malformed",
      requirement: "resources:read:malformed-uri",
      title: "A resources/read of what is no URI is refused.",
      mend: "Check that params.uri is a URI before anything is read: error -32602.",
      needs: ["resources"],
      async run(probe) {
        const answer = await probe.ask("resources/read", { uri: NO_URI_AT_ALL });
        const { contents } = resultOf(answer) ?? {};
        // A legacy server may answer with nothing in place of an error.
        const atMost = Array.isArray(contents) && contents.length > 0 ? undefined : "warning";
        if (errorOf(answer) === undefined) throw new ExpectationFailed("an error", describeAnswer(answer), atMost);
      },
    },
    {
      id: "resource-subscribe",
      requirement: "resources:subscribe",
      title: "Subscribing to a listed resource is answered with an empty result.",
      mend: "Answer resources/subscribe with {}.",
      needs: ["subscribe", "a-resource"],
      async run(probe) {
        wantResult(await probe.ask("resources/subscribe", { uri: probe.offer.resources[0]?.uri }));
      },
    },
    {
      id: "resource-unsubscribe",
      requirement: "resources:unsubscribe",
      title: "Unsubscribing is answered with an empty result, also from what was never subscribed to.",
      mend: "Answer resources/unsubscribe with {}.",
      needs: ["subscribe", "a-resource"],
      async run(probe) {
        wantResult(await probe.ask("resources/unsubscribe", { uri: probe.offer.resources[0]?.uri }));
      },
    },
  ],
};
