/** Reads the body of a request within a limit, checks its content type, and parses forms without repeated parameters. */
import { OAuthError } from "../grammar/oauth-error.js";

const MAX_FORM_BYTES = 65_536;
const MAX_PARAMETERS = 64;
const FORM = "application/x-www-form-urlencoded";

/** @throws {OAuthError} `invalid_request` for another content type, a body over the limit, or a repeated parameter */
export async function readForm(request: Request): Promise<URLSearchParams> {
  return uniqueParameters(new URLSearchParams(await readBody(request, FORM, MAX_FORM_BYTES)));
}

/** @throws {OAuthError} `invalid_request` for another content type, a body over the limit, or invalid UTF-8 */
export async function readBody(request: Request, contentType: string, maxBytes: number): Promise<string> {
  const given = (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (given !== contentType) throw badRequest(`the body must be ${contentType}`, 415);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (const reader = request.body?.getReader(); reader; ) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new OAuthError("invalid_request", "the body could not be read", { status: 400, cause });
    });
    if (done) break;
    size += value.length;
    if (size > maxBytes) {
      // A failed cancel is ignored: the request is refused either way.
      reader.cancel().catch(() => undefined);
      throw badRequest(`the body is larger than ${maxBytes} bytes`, 413);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new OAuthError("invalid_request", "the body is not valid UTF-8", { status: 400, cause });
  }
}

/**
 * RFC 6749, section 3.1: parameters must not be repeated, and parameters without a value count as absent.
 * @throws {OAuthError} `invalid_request` for a repeated parameter, or too many of them
 */
export function uniqueParameters(parameters: URLSearchParams): URLSearchParams {
  if (parameters.size > MAX_PARAMETERS) throw badRequest(`more than ${MAX_PARAMETERS} parameters are given`);
  const names = [...parameters.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw badRequest(`parameter ${JSON.stringify(repeated.slice(0, 64))} is repeated`);
  return new URLSearchParams([...parameters].filter(([, value]) => value !== ""));
}

/** @throws {OAuthError} `invalid_request` if the parameter is missing */
export function required(parameters: URLSearchParams, name: string): string {
  const value = parameters.get(name);
  if (value === null) throw badRequest(`parameter ${name} is missing`);
  return value;
}

function badRequest(description: string, status = 400): OAuthError {
  return new OAuthError("invalid_request", description, { status });
}
