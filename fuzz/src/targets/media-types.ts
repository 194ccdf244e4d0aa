/** Content-Type and Accept as a host reads them, against a reading that splits them as the grammar says. */
import { accepts, acceptsAnswers, isJsonType } from "../../../packages/sdk/src/hosting/http/media-types.js";
import { mutateText } from "../mutate-text.js";
import { demandEqual, field, type Target } from "../target.js";

const HEADERS: readonly string[] = [
  "application/json, text/event-stream",
  "application/json",
  "text/event-stream",
  "*/*",
  "application/*, text/*;q=0.5",
  "application/json;q=0, */*",
  "text/event-stream; q=0.000, application/json",
  "application/json; charset=utf-8",
  'application/json; charset="UTF-8"',
  "application/json; charset=latin1",
  'application/json; profile="a;b,c"; charset=utf-8',
  "application/json-seq",
];

const TOKENS: readonly string[] = [
  ...["application/json", "text/event-stream", "*/*", "text/*", "application/*", ",", ";", "=", "/", "*", " ", "\t"],
  ...["q=0", ";q=0.0", ";q=1", ";q=0.5", ";Q=0", "charset=", "utf-8", "UTF-8", ";charset=utf-16", "x", "A"],
];

export const mediaTypes: Target = {
  name: "media-types",
  share: 80,
  maxMs: 50,
  outcomes: ["JSON", "both", "neither"],
  generate: (random) => ({ value: mutateText(random, random.pick(HEADERS), TOKENS, HEADERS) }),
  check(input) {
    const value = field(input, "value");
    const isJson = isJsonType(value);
    // What stands between quotes may hold any separator; a host need not go so far as long as it errs on the strict side.
    if (value.includes('"')) {
      if (isJson) demandEqual(value.trim().toLowerCase().startsWith("application/json"), true, "takes JSON for JSON");
      return "quoted";
    }
    demandEqual(isJson, expectedJson(value), "reads Content-Type by the grammar");
    for (const type of ["application/json", "text/event-stream"]) {
      demandEqual(accepts(value, type), expectedAccept(value, type), "reads Accept by the grammar");
      demandEqual(accepts(value.toUpperCase(), type), accepts(value, type), "is blind to case");
    }
    const isBoth = expectedAccept(value, "application/json") && expectedAccept(value, "text/event-stream");
    demandEqual(acceptsAnswers(value), isBoth, "wants both forms of an answer");
    if (isBoth) return "both";
    return isJson ? "JSON" : "neither";
  },
};

interface Range {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly all: readonly string[];
}

function rangeOf(text: string): Range {
  const [type = "", ...all] = text.split(";").map((part) => part.trim().toLowerCase());
  return {
    type,
    all,
    parameters: new Map(all.map((part) => [part.replace(/=.*/s, ""), part.replace(/^[^=]*=?/s, "")])),
  };
}

function expectedJson(value: string): boolean {
  const { type, all } = rangeOf(value);
  const charsets = all.filter((part) => part.startsWith("charset="));
  return type === "application/json" && charsets.every((part) => part === "charset=utf-8");
}

/** Of the ranges that fit, the one with the fewest wildcards decides, and among equals the first. */
function expectedAccept(value: string, type: string): boolean {
  const [group] = type.split("/");
  const rank = [type, `${group}/*`, "*/*"];
  const fitting = value
    .split(",")
    .map(rangeOf)
    .filter((range) => rank.includes(range.type));
  fitting.sort((one, other) => rank.indexOf(one.type) - rank.indexOf(other.type));
  const [best] = fitting;
  return best !== undefined && !best.all.some((part) => part.startsWith("q=") && /^0(?:\.0*)?$/.test(part.slice(2)));
}
