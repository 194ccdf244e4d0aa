/** Memory and processor time of this process: peaks while it works, and what it retains after garbage collection. */

const MEBIBYTE = 1_048_576;
const SAMPLE_MS = 20;
const COLLECTIONS = 3;

let peakHeap = 0;
let peakExternal = 0;
let since = { processor: processorMs(), wall: performance.now() };

function sample() {
  const { heapUsed, external } = process.memoryUsage();
  peakHeap = Math.max(peakHeap, heapUsed);
  peakExternal = Math.max(peakExternal, external);
}

setInterval(sample, SAMPLE_MS).unref();

/** The processor time of this process in ms. */
export function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Peaks in MiB, and the share of one core, since the last call. */
export function takePeaks() {
  sample();
  const cpuShare = (processorMs() - since.processor) / (performance.now() - since.wall);
  const peaks = { heapMiB: round(peakHeap), externalMiB: round(peakExternal), cpuShare: Number(cpuShare.toFixed(2)) };
  peakHeap = 0;
  peakExternal = 0;
  since = { processor: processorMs(), wall: performance.now() };
  return peaks;
}

/** Bytes in use after garbage collection, in MiB: the heap and the buffers outside of it. */
export async function retainedMiB() {
  // A turn of the event loop may release more.
  for (let left = COLLECTIONS; left > 0; left -= 1) {
    await new Promise((resolve) => void setImmediate(resolve));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return round(heapUsed + external);
}

/** @param {number} bytes */
function round(bytes) {
  return Math.round(bytes / MEBIBYTE);
}
