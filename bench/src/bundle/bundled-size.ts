/** How large a module is with all that it imports, as it would be shipped. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { rolldown } from "rolldown";

export interface BundledSize {
  readonly minifiedBytes: number;
  readonly gzippedBytes: number;
}

/** @throws {Error} if something that it imports cannot be found. */
export async function bundledSize(file: string): Promise<BundledSize> {
  const complaints: string[] = [];
  await using bundle = await rolldown({
    input: file,
    // A runtime that is neither Node nor a browser: only what is web-standard comes in.
    platform: "neutral",
    resolve: { mainFields: ["module", "main"], conditionNames: ["workerd", "worker", "browser", "import", "default"] },
    external: /^node:/,
    onLog: (_level, { message }) => complaints.push(message),
  });
  const { output } = await bundle.generate({ format: "esm", minify: true, codeSplitting: false });
  const code = output.map((part) => (part.type === "chunk" ? part.code : "")).join("");
  const missing = complaints.find((complaint) => complaint.includes("Could not resolve"));
  if (missing !== undefined) throw new Error(missing);
  return { minifiedBytes: Buffer.byteLength(code), gzippedBytes: (await promisify(gzip)(code)).length };
}
