/** SHA-256. */
import { createHash } from "node:crypto";

export function sha256(data: string | Uint8Array): Buffer {
  return createHash("sha256").update(data).digest();
}
