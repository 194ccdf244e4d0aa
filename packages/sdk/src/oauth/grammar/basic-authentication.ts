/** Authenticates a client by its id and secret in the `Authorization` header (`client_secret_basic`). */
import type { ClientAuth } from "oauth4webapi";

/**
 * RFC 6749: id and secret are form-encoded before Base64. Unlike the library's, this encoding leaves `-`, `.` and `_` unchanged,
 * so that most credentials also work at servers that do not decode them.
 */
export function basicAuthentication(secret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formEncoded(client_id)}:${formEncoded(secret)}`)}`);
  };
}

/** A text as the value of a form field. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}
