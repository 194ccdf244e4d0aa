/** Routes besides the endpoint, such as those of an authorization server: functions from `Request` to `Response`. */
import { SdkError } from "../../errors/sdk-error.js";
import { ByteBuffer } from "../../runtime/byte-buffer.js";
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
/** Headers about the connection and the framing of the body, which are the host's to set. */
const OWN_OF_HOST = [
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
/** A response is held in memory as a whole. */
const MAX_RESPONSE_BYTES = 16_777_216;
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

/**
 * Sends the response of a route. Cancels its body if the client disconnects.
 * @throws {SdkError} `invalid-argument` for a response that sets several cookies, `invalid-result` for a body that is too long.
 */
export async function sendWebResponse(answer: Response, request: HttpRequest, response: HttpResponse): Promise<void> {
  if (answer.headers.getSetCookie().length > 1) {
    throw new SdkError("invalid-argument", "routes: a response may set one cookie; put the values into one");
  }
  const headers: Record<string, string> = {};
  answer.headers.forEach((value, name) => {
    headers[name] = value;
  });
  // The host frames the body, and `fetch` has decoded the bodies of its responses. Only such responses have a URL.
  for (const name of OWN_OF_HOST) delete headers[name];
  if (answer.url !== "") delete headers["content-encoding"];
  const body = answer.body === null ? new Uint8Array(0) : await readResponse(answer.body.getReader(), request);
  response.send(answer.status, headers, body.length === 0 ? undefined : body);
}

async function readResponse(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  request: HttpRequest,
): Promise<Uint8Array> {
  const body = new ByteBuffer();
  // A cancelled reader is done. A source that fails to cancel has nobody left to tell.
  const cancel = () => void reader.cancel().catch(() => undefined);
  request.onDisconnect(cancel);
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    body.append(read.value);
    if (body.length <= MAX_RESPONSE_BYTES) continue;
    cancel();
    const complaint = `routes: the body of a response is longer than ${MAX_RESPONSE_BYTES} bytes`;
    throw new SdkError("invalid-result", complaint);
  }
  return body.bytes();
}

function bodyOf(request: HttpRequest, maxBytes: number): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const { parsedBody } = request;
  if (parsedBody !== undefined) return serializedBody(parsedBody, request.header("content-type"));
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise<void>((resolve, reject) => {
          const onText = (text: string) => {
            controller.enqueue(Uint8Array.from(text, (character) => character.charCodeAt(0)));
            controller.close();
            resolve();
          };
          request.readBody(maxBytes, undefined, onText, reject, "latin1");
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
