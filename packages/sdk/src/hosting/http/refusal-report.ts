/** Response wrapper that reports to `onRefusal` if a limit or a missing scope refuses the request in its answer. */
import type { ErrorCallback } from "../../runtime/error-callback.js";
import type { JsonRpcAnswer } from "../../wire/json-rpc.js";
import { refusedStatus } from "./error-status.js";
import type { Body, EventSink, Headers, HttpResponse } from "./http-host.js";
import { HttpRefusal } from "./http-refusal.js";

export class RefusalReport implements HttpResponse {
  readonly #response: HttpResponse;
  readonly #report: ErrorCallback;

  constructor(response: HttpResponse, report: ErrorCallback) {
    this.#response = response;
    this.#report = report;
  }

  refused(answer: JsonRpcAnswer): void {
    if (!("error" in answer)) return;
    const status = refusedStatus(answer);
    if (status !== undefined) this.#report(new HttpRefusal(status, answer.error));
  }

  send(status: number, headers: Headers, body?: Body | Uint8Array): void {
    this.#response.send(status, headers, body);
  }

  stream(headers: Headers): EventSink {
    return this.#response.stream(headers);
  }
}
