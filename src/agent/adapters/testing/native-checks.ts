/** Members of a JSON object. */
export interface Fields {
  readonly [name: string]: unknown;
}

/** The first of several problems. */
export function first(...problems: readonly (string | false | undefined)[]): string | undefined {
  return problems.find((problem): problem is string => typeof problem === 'string');
}

/** A list, or none. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as Fields[]) : [];
}

/** The refusal of the first member that is not known. */
export function unknownMember(
  body: Fields,
  known: readonly string[],
  sentence: (name: string) => string,
): string | undefined {
  const name = Object.keys(body).find((key) => !known.includes(key));
  return name === undefined ? undefined : sentence(name);
}

/** True if the word JSON occurs. */
export const mentionsJson = (value: unknown): boolean => /json/i.test(JSON.stringify(value));

/** The sentence, unless the root is an object with properties and without branches. */
export function schemaRootProblem(schema: unknown, sentence: string): string | undefined {
  const { type, properties, ...more } = (schema ?? {}) as Fields;
  const isPlain = ['oneOf', 'anyOf', 'allOf', 'not', 'enum'].every((key) => more[key] === undefined);
  return type === 'object' && properties !== undefined && isPlain ? undefined : sentence;
}

/** In strict mode every object is closed, and requires all that it has. */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required, additionalProperties }: Fields = { ...schema };
  const names = Object.keys(properties ?? {});
  const isClosed = type !== 'object' || (additionalProperties === false && names.length === listOf(required).length);
  return isClosed && Object.values(schema).every(isStrictSchema);
}
