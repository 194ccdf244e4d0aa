/** What applications observe of responses: their end (`onResponse`, the access log), and answers that refuse (`onRefusal`). */

import type { Era } from "../../protocol/revisions.js";
import type { ErrorCallback } from "../../runtime/error-callback.js";
import type { JsonObject } from "../../runtime/json.js";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import { refusedStatus } from "./error-status.js";
import type { EventSink, HttpBody, HttpHeaders, HttpRequest, HttpResponse } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";

/** One response of the endpoint, as `onResponse` gets it at its end. */
export interface AccessLogEntry {
  /** The HTTP method. */
  readonly verb: string;
  readonly path: string;
  /** The era of the request; undefined if it was refused before its era was known. */
  readonly era: Era | undefined;
  /** The JSON-RPC method of a request or a notification. */
  readonly method: string | undefined;
  /** The tool, prompt or resource that the request names. */
  readonly name: string | undefined;
  /** The HTTP status; undefined if the client disconnected before the response began. */
  readonly status: number | undefined;
  readonly isStream: boolean;
  /** Time from the arrival of the request to the end of its response. */
  readonly ms: number;
}

/** The callbacks of the application. Neither throws. */
export interface ResponseObservers {
  readonly onResponse?: ((entry: AccessLogEntry) => void) | undefined;
  readonly onRefusal?: ErrorCallback | undefined;
}

/** A response that reports to the observers. */
export class ObservedResponse implements HttpResponse {
  era: Era | undefined;
  readonly #request: HttpRequest;
  readonly #response: HttpResponse;
  readonly #observers: ResponseObservers;
  readonly #startedAt = performance.now();
  #method: string | undefined;
  #name: string | undefined;
  #status: number | undefined;
  #isStream = false;
  #isOver = false;

  constructor(request: HttpRequest, response: HttpResponse, observers: ResponseObservers) {
    this.#request = request;
    this.#response = response;
    this.#observers = observers;
    if (observers.onResponse) request.onDisconnect(() => this.#end());
  }

  describe(method: string, params: JsonObject | undefined): void {
    this.#method = method;
    const name = params?.name ?? params?.uri;
    if (typeof name === "string") this.#name = name;
  }

  /** Drops the entry: the host's fallback answers the request. */
  forget(): void {
    this.#isOver = true;
  }

  send(status: number, headers: HttpHeaders, body?: HttpBody | Uint8Array): void {
    this.#response.send(status, headers, body);
    this.#status = status;
    this.#end();
  }

  /** Reports an answer that a limit or a missing scope refuses. */
  refused(answer: JsonRpcAnswer): void {
    this.#response.refused?.(answer);
    if (!("error" in answer)) return;
    const status = refusedStatus(answer);
    if (status !== undefined) this.#observers.onRefusal?.(new HttpRefusal(status, answer.error));
  }

  stream(headers: HttpHeaders): EventSink {
    const sink = this.#response.stream(headers);
    this.#status = 200;
    this.#isStream = true;
    return {
      write: (text) => sink.write(text),
      drained: () => sink.drained?.(),
      end: () => {
        sink.end();
        this.#end();
      },
    };
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { method: verb, path } = this.#request;
    this.#observers.onResponse?.({
      verb,
      path,
      era: this.era,
      method: this.#method,
      name: this.#name,
      status: this.#status,
      isStream: this.#isStream,
      ms: performance.now() - this.#startedAt,
    });
  }
}
