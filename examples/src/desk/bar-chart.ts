/** Draws bars and writes them as a PNG: a header, a palette, and the compressed rows, each chunk with its checksum. */
import { crc32, deflateSync } from "node:zlib";

const HEIGHT = 160;
const BAR = 18;
const GAP = 6;
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PAPER = 0;
const INK = 1;
const PALETTE = [0xff, 0xff, 0xff, 0x1f, 0x6f, 0x54];

export function drawBars(values: readonly number[]): Uint8Array {
  const width = GAP + values.length * (BAR + GAP);
  const tallest = Math.max(...values, Number.MIN_VALUE);
  const tops = values.map((value) => HEIGHT - Math.round((value / tallest) * (HEIGHT - 2 * GAP)) - GAP);
  const rows = Array.from({ length: HEIGHT }, (_, y) =>
    // Each row starts with the filter that was applied to it: none.
    [0, ...Array.from({ length: width }, (_each, x) => (isInBar(x, y, tops) ? INK : PAPER))],
  );
  return Buffer.concat([
    Buffer.from(SIGNATURE),
    chunk("IHDR", header(width)),
    chunk("PLTE", Buffer.from(PALETTE)),
    chunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function isInBar(x: number, y: number, tops: readonly number[]): boolean {
  const top = tops[Math.floor((x - GAP) / (BAR + GAP))];
  return top !== undefined && (x - GAP) % (BAR + GAP) < BAR && y >= top && y < HEIGHT - GAP;
}

/** Eight bits per pixel, each an index into the palette. */
function header(width: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(HEIGHT, 4);
  bytes.set([8, 3], 8);
  return bytes;
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
