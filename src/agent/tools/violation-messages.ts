import type { JsonObject } from '../../common/index.js';

/** A sentence for a value that violates a keyword. @param value what the model sent */
export type ViolationMessage = (value: unknown) => string;

/** Next to the schemas and not in them, because models are sent the schemas. */
const messages = new WeakMap<JsonObject, Map<string, ViolationMessage>>();

/** Sets the sentence for violations of keywords of a schema. It replaces the general one. */
export function setViolationMessage(schema: JsonObject, keywords: readonly string[], message: ViolationMessage): void {
  const ofSchema = messages.get(schema) ?? new Map<string, ViolationMessage>();
  messages.set(schema, ofSchema);
  for (const keyword of keywords) ofSchema.set(keyword, message);
}

/**
 * The sentence for a violation of a keyword, without a full stop; undefined if there is none, or if it cannot be made
 * from this value. A value of the wrong type violates what its schema says of it too, so the sentence of another keyword
 * is used for it.
 *
 * @param path the place of the keyword in the schema, as in the errors of ajv: `#/properties/id/pattern`
 */
export function violationMessage(root: JsonObject, path: string, value: unknown): string | undefined {
  const steps = path.split('/').slice(1).map(unescaped);
  const keyword = steps.pop() ?? '';
  let schema: unknown = root;
  for (const step of steps) schema = (schema as Record<string, unknown> | undefined)?.[step];
  const ofSchema = typeof schema === 'object' && schema !== null ? messages.get(schema as JsonObject) : undefined;
  const message = ofSchema?.get(keyword) ?? (keyword === 'type' ? ofSchema?.values().next().value : undefined);
  try {
    return message?.(value).replace(/\.$/, '');
  } catch {
    // Messages are code of the author, who may not expect every value.
    return undefined;
  }
}

/** A step of a JSON pointer in the fragment of a URI. */
function unescaped(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}
