/** The table of operators of RFC 6570, by which values of an expression are prefixed, joined, named and encoded. */
export interface Operator {
  /** The text before the first defined value. */
  readonly first: string;
  /** The separator of values. */
  readonly separator: string;
  /** Whether values are written as `name=value`. */
  readonly isNamed: boolean;
  /** The text after the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters are not encoded. */
  readonly allowsReserved: boolean;
  /** Whether values are in the path of the URI, rather than in its query or fragment. */
  readonly isInPath: boolean;
}

export const SIMPLE: Operator = {
  first: "",
  separator: ",",
  isNamed: false,
  ifEmpty: "",
  allowsReserved: false,
  isInPath: true,
};

const OPERATORS = new Map<string, Operator>([
  ["+", { first: "", separator: ",", isNamed: false, ifEmpty: "", allowsReserved: true, isInPath: true }],
  ["#", { first: "#", separator: ",", isNamed: false, ifEmpty: "", allowsReserved: true, isInPath: false }],
  [".", { first: ".", separator: ".", isNamed: false, ifEmpty: "", allowsReserved: false, isInPath: true }],
  ["/", { first: "/", separator: "/", isNamed: false, ifEmpty: "", allowsReserved: false, isInPath: true }],
  [";", { first: ";", separator: ";", isNamed: true, ifEmpty: "", allowsReserved: false, isInPath: true }],
  ["?", { first: "?", separator: "&", isNamed: true, ifEmpty: "=", allowsReserved: false, isInPath: false }],
  ["&", { first: "&", separator: "&", isNamed: true, ifEmpty: "=", allowsReserved: false, isInPath: false }],
]);

/** The operator of an expression by its first character; undefined if there is none. */
export function operatorOf(character: string): Operator | undefined {
  return OPERATORS.get(character);
}
