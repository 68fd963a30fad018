import type { JsonObject } from '../../common/index.js';

/** The number nearest to `value` that a schema's bounds, step and type allow. */
export function fitNumber(value: number, schema: JsonObject, isInteger: boolean): number {
  const given = numberAt(schema, 'multipleOf');
  const step = given !== undefined && given > 0 ? given : isInteger ? 1 : undefined;
  const low = lowerBound(schema, step);
  const high = upperBound(schema, step);
  let fitted = step === undefined ? value : clean(Math.round(value / step) * step);
  if (high !== undefined && fitted > high) fitted = step === undefined ? high : clean(Math.floor(high / step) * step);
  if (low !== undefined && fitted < low) fitted = step === undefined ? low : clean(Math.ceil(low / step) * step);
  return Object.is(fitted, -0) ? 0 : fitted;
}

function lowerBound(schema: JsonObject, step: number | undefined): number | undefined {
  const minimum = numberAt(schema, 'minimum');
  const exclusive = numberAt(schema, 'exclusiveMinimum') ?? (schema['exclusiveMinimum'] === true ? minimum : undefined);
  if (exclusive === undefined) return minimum;
  const ceiling = numberAt(schema, 'maximum') ?? numberAt(schema, 'exclusiveMaximum');
  const inside = step === undefined ? between(exclusive, ceiling, 1) : (Math.floor(exclusive / step) + 1) * step;
  return Math.max(inside, minimum ?? inside);
}

function upperBound(schema: JsonObject, step: number | undefined): number | undefined {
  const maximum = numberAt(schema, 'maximum');
  const exclusive = numberAt(schema, 'exclusiveMaximum') ?? (schema['exclusiveMaximum'] === true ? maximum : undefined);
  if (exclusive === undefined) return maximum;
  const floor = numberAt(schema, 'minimum') ?? numberAt(schema, 'exclusiveMinimum');
  const inside = step === undefined ? between(exclusive, floor, -1) : (Math.ceil(exclusive / step) - 1) * step;
  return Math.min(inside, maximum ?? inside);
}

/** A number just inside an exclusive bound, and not beyond the other one. */
function between(bound: number, other: number | undefined, direction: number): number {
  return other === undefined || Math.abs(other - bound) > 2 ? bound + direction : (bound + other) / 2;
}

function numberAt(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}

/** 0.30000000000000004 is not a multiple of 0.1 to anybody. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}
