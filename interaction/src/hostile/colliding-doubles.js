/**
 * Doubles that share one hash in V8, as JSON text. V8 hashes a double by a fixed mix of its 64 bits and keeps 30 bits of the
 * result. Every step of the mix can be inverted, so each choice of the other 34 bits yields a double with the same hash.
 */

const BITS = 64n;
const MASK = (1n << BITS) - 1n;

/** @param {bigint} odd @returns {bigint} the inverse of an odd number modulo 2^64, by Newton's method */
function inverse(odd) {
  let result = 1n;
  for (let bits = 1n; bits < BITS; bits *= 2n) result = (result * (2n - odd * result)) & MASK;
  return result;
}

/** Inverts `x ^= x >> shift`. @param {bigint} mixed @param {bigint} shift */
function unshift(mixed, shift) {
  let result = mixed;
  for (let done = shift; done < BITS; done += shift) result = mixed ^ (result >> shift);
  return result;
}

const INVERSE_65 = inverse(65n);
const INVERSE_21 = inverse(21n);
const INVERSE_SHIFT_18 = inverse((1n << 18n) - 1n);

/** Inverts V8's `ComputeLongHash`. @param {bigint} hash */
function preimage(hash) {
  let key = unshift(hash, 22n);
  key = (key * INVERSE_65) & MASK;
  key = unshift(key, 11n);
  key = (key * INVERSE_21) & MASK;
  key = unshift(key, 31n);
  return ((key + 1n) * INVERSE_SHIFT_18) & MASK;
}

/** @param {number} count @returns {string} a JSON array */
export function collidingDoubles(count) {
  const view = new DataView(new ArrayBuffer(8));
  /** @type {string[]} */
  const texts = [];
  for (let high = 1n; texts.length < count; high += 1n) {
    view.setBigUint64(0, preimage((high << 30n) | 1n));
    const value = view.getFloat64(0);
    // A double that is an integer of 32 bits is hashed in another way.
    if (Number.isFinite(value) && !Number.isInteger(value)) texts.push(String(value));
  }
  return `[${texts.join(",")}]`;
}
