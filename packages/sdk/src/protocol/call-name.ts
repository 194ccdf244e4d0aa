/** The name of a call in error messages: the method, and the tool, prompt or resource. */
const MAX_SHOWN_CHARS = 100;

/** `tools/call "deploy"`; the method alone for a call without a subject. */
export function callName(method: string, subject: string | undefined): string {
  if (subject === undefined) return method;
  const shown = subject.length > MAX_SHOWN_CHARS ? `${subject.slice(0, MAX_SHOWN_CHARS)}…` : subject;
  return `${method} ${JSON.stringify(shown)}`;
}
