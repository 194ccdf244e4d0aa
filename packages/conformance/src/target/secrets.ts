/** Secrets in texts: as they are, and in the forms in which a server or a format may repeat them. */

/** How a masked secret is written. */
const MASK = "***";

/** Shorter beginnings of a secret say nothing. */
const MIN_CUT_CHARACTERS = 4;

export function maskSecrets(text: string, secrets: readonly string[]): string {
  return allForms(secrets).reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** Also masks the beginnings of secrets at places where a text was shortened. */
export function maskShortened(text: string, secrets: readonly string[]): string {
  const masked = maskSecrets(text, secrets);
  if (!masked.includes("…")) return masked;
  return allForms(secrets).reduce(maskCut, masked);
}

function maskCut(text: string, form: string): string {
  let masked = text;
  for (let length = form.length - 1; length >= MIN_CUT_CHARACTERS; length -= 1)
    masked = masked.replaceAll(`${form.slice(0, length)}…`, `${MASK}…`);
  return masked;
}

/** Longer forms first: one may contain another. */
function allForms(secrets: readonly string[]): string[] {
  const forms = secrets.filter((secret) => secret !== "").flatMap(formsOf);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

function formsOf(secret: string): string[] {
  const inJson = escapeJson(secret);
  return [
    secret,
    inJson,
    escapeJson(inJson),
    escapeJson(escapeJson(inJson)),
    encodeURIComponent(secret),
    ...[0, 1, 2].flatMap((offset) => base64Forms(secret, offset)),
  ];
}

/** The digits that a secret alone decides, within a text whose bytes before it are a multiple of three and an offset. */
function base64Forms(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  return [bytes.toString("base64").slice(from, to), bytes.toString("base64url").slice(from, to)];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
