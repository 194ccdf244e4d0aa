/** The operators of RFC 6570: how each one introduces, joins and names the values of an expression. */
export interface Operator {
  /** What stands before the first value, if any value is defined. */
  readonly first: string;
  /** What stands between values. */
  readonly separator: string;
  /** Whether a value is led by its variable's name. */
  readonly isNamed: boolean;
  /** What follows the name of an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved characters go out as they are. */
  readonly allowsReserved: boolean;
  /** Whether a value stands in the path of the URI, rather than in its query or fragment. */
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

/** The operator that an expression's first character names; undefined if the expression has none. */
export function operatorOf(character: string): Operator | undefined {
  return OPERATORS.get(character);
}
