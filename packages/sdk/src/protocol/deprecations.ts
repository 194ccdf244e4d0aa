/** Features that the specification lists as deprecated (SEP-2596), and the warning for a program that uses one. */

export type DeprecatedFeature = "ROOTS" | "SAMPLING" | "LOGGING" | "INCLUDE_CONTEXT" | "HTTP_SSE";

interface Deprecation {
  /** Subject and verb of the warning. */
  readonly subject: string;
  /** Revision that deprecated the feature. */
  readonly since: string;
  readonly sep: string;
  /** The specification's earliest removal. */
  readonly removal: string;
  readonly instead: string;
}

const REVISIONS_AFTER_A_YEAR = "revisions released on or after 2027-07-28 may remove them";

const DEPRECATIONS: Readonly<Record<DeprecatedFeature, Deprecation>> = {
  ROOTS: {
    subject: "Roots are",
    since: "2026-07-28",
    sep: "SEP-2577",
    removal: REVISIONS_AFTER_A_YEAR,
    instead: "take directories and files as arguments of tools, as resource URIs or from the server's configuration",
  },
  SAMPLING: {
    subject: "Sampling requests are",
    since: "2026-07-28",
    sep: "SEP-2577",
    removal: REVISIONS_AFTER_A_YEAR,
    instead: "have the server call a model through the API of its provider",
  },
  LOGGING: {
    subject: "Log messages to clients are",
    since: "2026-07-28",
    sep: "SEP-2577",
    removal: REVISIONS_AFTER_A_YEAR,
    instead: "write to stderr, or use OpenTelemetry",
  },
  INCLUDE_CONTEXT: {
    subject: 'The values "thisServer" and "allServers" of includeContext are',
    since: "2025-11-25",
    sep: "SEP-2596",
    removal: "they go with sampling, which revisions released on or after 2027-07-28 may remove",
    instead: "leave includeContext out",
  },
  HTTP_SSE: {
    subject: "The HTTP+SSE transport is",
    since: "2025-03-26",
    sep: "SEP-2596",
    removal: "it may be removed three months after SEP-2596 became final",
    instead: "use Streamable HTTP",
  },
};

/** Warns that a program uses a deprecated feature: once per process, under the code `PARLEY_DEP_…`. */
export function warnDeprecated(feature: DeprecatedFeature): void {
  const { subject, since, sep, removal, instead } = DEPRECATIONS[feature];
  const message = `${subject} deprecated since ${since} (${sep}), and ${removal}. Instead, ${instead}.`;
  warnOnce(`PARLEY_DEP_${feature}`, message);
}

/** The part of `process` that emits warnings. */
export interface WarningEmitter {
  emitWarning?(message: string, options: { readonly type: string; readonly code: string }): void;
}

const emitted = new Set<string>();

/**
 * Emits a warning once per process, through `process.emitWarning`. A program can listen to it and switch it off
 * (`--no-deprecation`, `--disable-warning`). A runtime without `emitWarning` stays silent.
 * @param code names the warning. A second warning with the same code is dropped.
 */
export function warnOnce(
  code: string,
  message: string,
  emitter: WarningEmitter | undefined = (globalThis as { readonly process?: WarningEmitter }).process,
): void {
  if (emitted.has(code)) return;
  emitted.add(code);
  emitter?.emitWarning?.(message, { type: "DeprecationWarning", code });
}
