/** Which URIs a registered template serves. */
import { isUnsafeInPath, leadsElsewhere } from "../protocol/path-safety.js";
import type { MatchedVariables } from "../uri-template/match.js";
import type { UriTemplate } from "../uri-template/uri-template.js";
import type { RegisteredTemplate } from "./resource-definition.js";

/** The variables of a URI that fits the template and is safe to serve; undefined for any other. */
export function matchTemplate(
  { template, acceptsUnsafeValues }: RegisteredTemplate,
  uri: string,
): MatchedVariables | undefined {
  const variables = template.match(uri);
  return variables && (acceptsUnsafeValues || areSafe(template, variables)) ? variables : undefined;
}

function areSafe(template: UriTemplate, variables: MatchedVariables): boolean {
  return Object.entries(variables).every(([name, value]) => {
    // The items of a list may be joined to a path: ["", "etc"] is then "/etc".
    const texts = typeof value === "string" ? [value] : [...value, value.join("/")];
    if (texts.some(isUnsafeInPath)) return false;
    return !(texts.some(leadsElsewhere) && template.isInPath(name));
  });
}
