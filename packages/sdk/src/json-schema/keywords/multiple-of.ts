/** `multipleOf` by decimal notation, in which 0.3 is three times 0.1. */
import { STEPS } from "../../runtime/work-budget.js";
import type { ValidationRun } from "../validator/validation-run.js";

/** Numbers of up to this many digits have one decimal notation, and arithmetic on them as integers is exact. */
const MAX_EXACT = 1e15;
const MAX_EXACT_PLACES = 15;

export function isMultipleOf(divisor: number): (value: number, run: ValidationRun) => boolean {
  const decimal = decimalOf(divisor);
  const places = Math.max(0, -decimal.exponent);
  const scale = 10 ** places;
  const scaledDivisor = Math.round(divisor * scale);
  const isShort = places <= MAX_EXACT_PLACES && scaledDivisor <= MAX_EXACT;
  return (value, run) => {
    const scaled = Math.round(value * scale);
    // A value with more places than the divisor is none of its multiples.
    if (isShort && Math.abs(scaled) <= MAX_EXACT) return scaled / scale === value && scaled % scaledDivisor === 0;
    run.spend(STEPS.longDivision);
    return isMultiple(decimalOf(value), decimal);
  };
}

interface Decimal {
  readonly digits: bigint;
  /** The power of ten the digits are multiplied by. */
  readonly exponent: number;
}

function decimalOf(value: number): Decimal {
  const [mantissa = "", power = "0"] = String(value).split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function isMultiple(value: Decimal, divisor: Decimal): boolean {
  const lowest = Math.min(value.exponent, divisor.exponent);
  return scaledTo(value, lowest) % scaledTo(divisor, lowest) === 0n;
}

function scaledTo({ digits, exponent }: Decimal, lowest: number): bigint {
  return digits * 10n ** BigInt(exponent - lowest);
}
