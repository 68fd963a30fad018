import fc from 'fast-check';

/** The names and indexes that lead to a value in a body. */
export type Place = readonly (string | number)[];

/** Anything JSON can say, and some of what breaks parsers: odd keys, odd text, huge and tiny numbers. */
export const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...[null, true, -0, 1e308, 5e-324, 2 ** 53], ...['', '\0', '\ud800', '😀'.repeat(50)]),
  fc.constantFrom<unknown>([], {}, [[]], [null]),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/**
 * Good bodies as text, with one to four odd things in each.
 *
 * @param bodies makes one of the bodies
 * @param places where something odd is put
 */
export function oddBodies(
  bodies: readonly (() => Record<string, unknown>)[],
  places: readonly Place[],
): fc.Arbitrary<string> {
  const changes = fc.array(fc.tuple(fc.constantFrom(...places), odd), { minLength: 1, maxLength: 4 });
  return fc.tuple(fc.constantFrom(...bodies), changes).map(([make, changed]) => {
    const body = make();
    for (const [place, value] of changed) put(body, place, value);
    return JSON.stringify(body);
  });
}

/** The bytes of bodies, cut or replaced: broken UTF-8 and broken JSON among them. */
export function brokenBodies(bodies: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.tuple(bodies, fc.nat(), fc.uint8Array({ maxLength: 4 })).map(([text, at, bytes]) => {
    const source = Buffer.from(text);
    const cut = at % (source.length + 1);
    return Buffer.concat([source.subarray(0, cut), bytes, source.subarray(cut + bytes.length)]);
  });
}

/** What is no body at all: some bytes, or odd JSON. */
export const noBodies = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  odd.map((value) => JSON.stringify(value)),
);

/** Puts a value into a body; into none if nothing can be at the place. */
export function put(body: Record<string, unknown>, place: Place, value: unknown): void {
  let target = body as Record<string | number, unknown>;
  for (const key of place.slice(0, -1)) {
    const next = target[key];
    if (typeof next !== 'object' || next === null) return;
    target = next as Record<string | number, unknown>;
  }
  // A copy: the same object put into itself would be a circle.
  const settings = { value: structuredClone(value), enumerable: true, configurable: true, writable: true };
  Object.defineProperty(target, place.at(-1) as string, settings);
}
