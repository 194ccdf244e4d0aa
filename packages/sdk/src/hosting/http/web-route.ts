/** Routes besides the endpoint, such as those of an authorization server: functions from `Request` to `Response`. */
import { SdkError } from "../../errors/sdk-error.js";
import type { HttpRequest, HttpResponse } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";

/** Facts that a route receives besides the request. */
export interface RouteFacts {
  /** Address of the client, from the host's `clientAddress`; of an IPv6 address, the first 64 bits. Undefined if unknown. */
  readonly address: string | undefined;
}

/** Serves requests of its own paths. Returns undefined for others, without reading their bodies. */
export type WebRoute = (request: Request, facts: RouteFacts) => Promise<Response | undefined>;

const WITHOUT_BODY: ReadonlySet<string> = new Set(["GET", "HEAD"]);
const FORM_TYPE = /^application\/x-www-form-urlencoded\b/i;

/** Converts a request. Its body is read when the route reads it, within the endpoint's limits. @throws {HttpRefusal} 400 */
export function toWebRequest(request: HttpRequest, maxBytes: number): Request {
  const { method } = request;
  const body = WITHOUT_BODY.has(method) ? undefined : ({ body: bodyOf(request, maxBytes), duplex: "half" } as const);
  try {
    return new Request(request.url, { method, headers: request.headers(), ...body });
  } catch {
    const message = `Bad request: the Host header, the URL or the method ${JSON.stringify(method)} is malformed`;
    throw HttpRefusal.badRequest(message);
  }
}

/** @throws {SdkError} `invalid-argument` for a response that sets several cookies. */
export async function sendWebResponse(answer: Response, response: HttpResponse): Promise<void> {
  if (answer.headers.getSetCookie().length > 1) {
    throw new SdkError("invalid-argument", "routes: a response may set one cookie; put the values into one");
  }
  const headers: Record<string, string> = {};
  answer.headers.forEach((value, name) => {
    headers[name] = value;
  });
  // The host sets `content-length`.
  delete headers["content-length"];
  const body = new Uint8Array(await answer.arrayBuffer());
  response.send(answer.status, headers, body.length === 0 ? undefined : body);
}

function bodyOf(request: HttpRequest, maxBytes: number): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const { parsedBody } = request;
  if (parsedBody !== undefined) return serializedBody(parsedBody, request.header("content-type"));
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise<void>((resolve, reject) => {
          const onText = (text: string) => {
            controller.enqueue(encoder.encode(text));
            controller.close();
            resolve();
          };
          request.readBody(maxBytes, undefined, onText, reject);
        }),
    },
    // No reading ahead: the route may not read the body at all.
    { highWaterMark: 0 },
  );
}

/** Serializes a body that a framework has parsed. */
function serializedBody(
  parsed: unknown,
  contentType = "",
): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (typeof parsed === "string") return parsed;
  if (parsed instanceof Uint8Array) return new Uint8Array(parsed);
  // Form parsers return records of strings.
  if (FORM_TYPE.test(contentType)) return new URLSearchParams(parsed as Record<string, string>).toString();
  return JSON.stringify(parsed);
}
