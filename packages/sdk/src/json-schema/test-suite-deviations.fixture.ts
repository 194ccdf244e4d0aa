/** Cases of the JSON Schema Test Suite on which this validator decides otherwise, each with the reason. */

/** The validator's decision: it refuses the schema, accepts every string, or rejects strings that the suite accepts. */
export type DeviationKind = "schema refused" | "string accepted" | "string rejected";

export interface Deviation {
  /** The file in the folder of each dialect that has it. */
  readonly file: string;
  /** Descriptions of groups in the file; all groups without it. */
  readonly groups?: readonly string[];
  readonly kind: DeviationKind;
  readonly because: string;
}

const NEVER_FETCHED = "References never leave the document: a schema from a peer must not cause requests.";
const KNOWN_DIALECTS = "A dialect of one's own would have to be fetched, and may change what keywords mean.";
const NO_SUBSCHEMA = "References lead to subschemas, which are found by the keywords of the dialect.";
const ASSERTED_FORMATS = "Formats are asserted in all dialects: authors write them to have them checked.";
const NOTED_FORMATS = "Internationalized formats need tables of Unicode and are annotations.";

export const DEVIATIONS: readonly Deviation[] = [
  { file: "refRemote.json", kind: "schema refused", because: NEVER_FETCHED },
  { file: "defs.json", kind: "schema refused", because: NEVER_FETCHED },
  { file: "definitions.json", kind: "schema refused", because: NEVER_FETCHED },
  { file: "optional/cross-draft.json", kind: "schema refused", because: NEVER_FETCHED },
  {
    file: "ref.json",
    groups: ["remote ref, containing refs itself"],
    kind: "schema refused",
    because: NEVER_FETCHED,
  },
  {
    file: "dynamicRef.json",
    groups: [
      "strict-tree schema, guards against misspelled properties",
      "tests for implementation dynamic anchor and reference link",
      "$ref and $dynamicAnchor are independent of order - $defs first",
      "$ref and $dynamicAnchor are independent of order - $ref first",
      "$ref to $dynamicRef finds detached $dynamicAnchor",
    ],
    kind: "schema refused",
    because: NEVER_FETCHED,
  },
  { file: "vocabulary.json", kind: "schema refused", because: KNOWN_DIALECTS },
  { file: "optional/format-assertion.json", kind: "schema refused", because: KNOWN_DIALECTS },
  { file: "optional/refOfUnknownKeyword.json", kind: "schema refused", because: NO_SUBSCHEMA },
  {
    file: "format.json",
    groups: [
      "date format",
      "date-time format",
      "duration format",
      "email format",
      "hostname format",
      "ipv4 format",
      "ipv6 format",
      "json-pointer format",
      "regex format",
      "relative-json-pointer format",
      "time format",
      "uri format",
      "uri-reference format",
      "uri-template format",
      "uuid format",
    ],
    kind: "string rejected",
    because: ASSERTED_FORMATS,
  },
  { file: "optional/format/idn-email.json", kind: "string accepted", because: NOTED_FORMATS },
  { file: "optional/format/idn-hostname.json", kind: "string accepted", because: NOTED_FORMATS },
  { file: "optional/format/iri.json", kind: "string accepted", because: NOTED_FORMATS },
  { file: "optional/format/iri-reference.json", kind: "string accepted", because: NOTED_FORMATS },
  {
    file: "optional/format/hostname.json",
    groups: ["validation of A-label (punycode) host names"],
    kind: "string accepted",
    because: "A-labels are not decoded: their characters are those of any host name.",
  },
  {
    file: "optional/content.json",
    kind: "string accepted",
    because: "contentEncoding and contentMediaType are annotations, as later dialects say.",
  },
];
