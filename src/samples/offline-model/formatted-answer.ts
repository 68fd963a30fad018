import type { JsonObject } from '../../common/index.js';
import type { ResponseFormat } from '../../agent/index.js';
import { synthesizeArguments } from './argument-synthesis.js';
import type { Conversation } from './conversation.js';
import { Evidence } from './evidence.js';
import { resolveSchema, typeOf } from './schema-view.js';

/**
 * An answer in the format that was asked for: the text itself, the text in a JSON object, or an
 * instance of the schema that holds what the user's text gives for it. `now` is in milliseconds.
 */
export function formatAnswer(
  text: string,
  format: ResponseFormat | undefined,
  talk: Conversation,
  now: number,
): string {
  if (format === undefined || format.type === 'text') return text;
  if (format.type === 'json_object') return JSON.stringify({ answer: text });
  const evidence = new Evidence(talk.text, { systemText: talk.systemText, now });
  const { schema } = format;
  if (typeOf(resolveSchema(schema, schema)) === 'object') return JSON.stringify(synthesizeArguments(schema, evidence));
  return JSON.stringify(synthesizeArguments(inObject(schema), evidence)['value']);
}

/** Arguments are always objects; any other value is made as the one property of an object. */
function inObject(schema: JsonObject): JsonObject {
  const { $defs, definitions } = schema;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    type: 'object',
    properties: { value: schema },
    required: ['value'],
  };
}
