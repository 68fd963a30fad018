import { integer, madeDto, nullableString, object, objects, string, word } from '../../openai/index.js';

const flag = { type: Boolean };
const number = { type: Number };

/** The body of `POST /responses`. Fields that are not listed are ignored. */
export const CreateResponseDto = madeDto('CreateResponse', {
  'model?': { ...string, description: 'An agent type. Any other name selects the default agent.' },
  'input?': { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
  'instructions?': nullableString,
  'previous_response_id?': nullableString,
  'conversation?': { oneOf: [{ type: 'string', nullable: true }, { type: 'object' }] },
  'stream?': { ...flag, default: false },
  'store?': { ...flag, default: true },
  'background?': { ...flag, default: false },
  'tools?': objects,
  'tool_choice?': { oneOf: [{ type: 'string' }, { type: 'object' }] },
  'parallel_tool_calls?': { ...flag, default: true },
  'text?': object,
  'reasoning?': object,
  'temperature?': { ...number, minimum: 0, maximum: 2 },
  'top_p?': { ...number, minimum: 0, maximum: 1 },
  'presence_penalty?': { ...number, minimum: -2, maximum: 2 },
  'frequency_penalty?': { ...number, minimum: -2, maximum: 2 },
  'top_logprobs?': { ...integer, maximum: 20 },
  'max_output_tokens?': { ...integer, minimum: 16 },
  'max_tool_calls?': { ...integer, minimum: 1 },
  'context_management?': {
    ...objects,
    description: 'At most 16 entries of the type `compaction`, each with an optional `compact_threshold`.',
  },
  'truncation?': word('auto', 'disabled'),
  'metadata?': { ...object, description: 'At most 16 pairs of short strings.' },
  'user?': string,
  'safety_identifier?': string,
  'prompt_cache_key?': string,
});
