/** Units and what they measure: each is a factor, and an offset for temperatures, away from the base unit of its kind. */

const units = {
  mm: { kind: "length", factor: 0.001, offset: 0 },
  cm: { kind: "length", factor: 0.01, offset: 0 },
  m: { kind: "length", factor: 1, offset: 0 },
  km: { kind: "length", factor: 1_000, offset: 0 },
  inch: { kind: "length", factor: 0.0254, offset: 0 },
  foot: { kind: "length", factor: 0.3048, offset: 0 },
  mile: { kind: "length", factor: 1_609.344, offset: 0 },
  g: { kind: "mass", factor: 0.001, offset: 0 },
  kg: { kind: "mass", factor: 1, offset: 0 },
  ounce: { kind: "mass", factor: 0.028349523125, offset: 0 },
  pound: { kind: "mass", factor: 0.45359237, offset: 0 },
  celsius: { kind: "temperature", factor: 1, offset: 273.15 },
  fahrenheit: { kind: "temperature", factor: 5 / 9, offset: 459.67 * (5 / 9) },
  kelvin: { kind: "temperature", factor: 1, offset: 0 },
};

type Unit = keyof typeof units;

// `Object.keys` knows no names; these are the ones of the table above.
export const UNITS = Object.keys(units) as [Unit, ...Unit[]];

/** Undefined when the two measure different things. */
export function convert(value: number, from: Unit, to: Unit): number | undefined {
  const [source, target] = [units[from], units[to]];
  if (source.kind !== target.kind) return undefined;
  return (value * source.factor + source.offset - target.offset) / target.factor;
}
