/** The body of a response, gathered from its parts. */
import { SdkError } from "../../errors/sdk-error.js";

export function concatenate(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

export function tooLarge(maxBytes: number): SdkError {
  return new SdkError("too-large", `The response is longer than ${maxBytes} bytes`);
}
