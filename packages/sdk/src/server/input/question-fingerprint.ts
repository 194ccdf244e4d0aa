/** Tells whether a question is still the same in a later round. It is no secret and guards nothing: the state is sealed. */
import type { InputRequest } from "../../protocol/input-required.js";

/** Two 32-bit FNV-1a hashes with different constants: one of 64 bits takes bigints, which are twenty times slower. */
const FIRST = { offset: 0x811c9dc5, prime: 0x01000193 };
const SECOND = { offset: 0x2545f491, prime: 0x85ebca6b };

export function fingerprint(request: InputRequest): string {
  const text = JSON.stringify(request);
  let first = FIRST.offset;
  let second = SECOND.offset;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    first = Math.imul(first ^ unit, FIRST.prime);
    second = Math.imul(second ^ unit, SECOND.prime);
  }
  return `${(first >>> 0).toString(36)}.${(second >>> 0).toString(36)}`;
}
