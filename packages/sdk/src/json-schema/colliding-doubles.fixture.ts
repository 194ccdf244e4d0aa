/** Doubles with one hash: V8 hashes numbers without a secret, so the function can be run backwards. */

const MASK = (1n << 64n) - 1n;

/** Different numbers, none of them whole, whose hashes in V8 are all 0. */
export function collidingDoubles(count: number): number[] {
  const found: number[] = [];
  const view = new DataView(new ArrayBuffer(8));
  for (let index = 0n; found.length < count; index += 1n) {
    // The hash is the lower 30 bits.
    view.setBigUint64(0, unhashed(index << 30n));
    const double = view.getFloat64(0);
    if (Number.isFinite(double) && !Number.isInteger(double)) found.push(double);
  }
  return found;
}

/** Undoes the steps of V8's `ComputeLongHash`, the last one first. */
function unhashed(hash: bigint): bigint {
  let key = unshifted(hash, 22n);
  key = (key * inverse(65n)) & MASK;
  key = unshifted(key, 11n);
  key = (key * inverse(21n)) & MASK;
  key = unshifted(key, 31n);
  return ((key + 1n) * inverse((1n << 18n) - 1n)) & MASK;
}

/** Undoes `key ^ (key >> by)`. */
function unshifted(shifted: bigint, by: bigint): bigint {
  let key = shifted;
  for (let known = by; known < 64n; known += by) key = shifted ^ (key >> by);
  return key;
}

/** The inverse of an odd number modulo 2 to the power of 64, each round of Newton's method with twice the digits. */
function inverse(odd: bigint): bigint {
  let found = odd;
  for (let round = 0; round < 6; round += 1) found = (found * (2n - odd * found)) & MASK;
  return found;
}
