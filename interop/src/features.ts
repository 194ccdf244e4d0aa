/** The rows of the matrix, in the order in which they are tried on one connection: those that end it come last. */

export const features = [
  "connect",
  "tools",
  "structured output",
  "tool error",
  "invalid arguments",
  "unknown tool",
  "parallel calls",
  "pagination",
  "resources",
  "unknown resource",
  "templates",
  "prompts",
  "completion",
  "ping",
  "progress",
  "progress in one burst",
  "cancellation",
  "logging",
  "elicitation",
  "URL elicitation",
  "sampling",
  "roots",
  "input rounds",
  "listen",
  "resource updates",
  "list changes",
  "resumption",
  "session forgotten",
  "session deletion",
  "closing",
] as const;

export type Feature = (typeof features)[number];

/** Says the same of every feature but those that are offered. */
export function lackAllBut(why: string, ...offered: readonly Feature[]): Partial<Record<Feature, string>> {
  return lack(why, ...features.filter((feature) => !offered.includes(feature)));
}

/** Says the same of several features. */
export function lack(why: string, ...lacking: readonly Feature[]): Partial<Record<Feature, string>> {
  return Object.fromEntries(lacking.map((feature) => [feature, why]));
}
