import { createAzure } from '@ai-sdk/azure';
import { createOpenAI } from '@ai-sdk/openai';
import { responsesStream } from './native-answers.js';
import {
  type Fields,
  first,
  isStrictSchema,
  listOf,
  mentionsJson,
  schemaRootProblem,
  unknownMember,
} from './native-checks.js';
import type { NativeBody, NativeDouble } from './native-server.js';

const OPENAI_KNOWN =
  'model input temperature top_p max_output_tokens text parallel_tool_calls store include reasoning tools tool_choice stream instructions user metadata truncation'.split(
    ' ',
  );
const OPENAI_EFFORTS: Readonly<Record<string, readonly string[]>> = {
  'gpt-5.4': ['none', 'low', 'medium', 'high', 'xhigh'],
  'gpt-5': ['minimal', 'low', 'medium', 'high'],
  'o4-mini': ['low', 'medium', 'high'],
};

/** @param reasons whether a model reasons; a deployment of Azure has any name */
function responsesRefusal(body: NativeBody, model: string, reasons: boolean): string | undefined {
  const input = listOf(body['input']);
  const { format = {} } = (body['text'] ?? {}) as { format?: Fields };
  const { effort } = (body['reasoning'] ?? {}) as { effort?: string };
  const efforts = OPENAI_EFFORTS[model];
  const sampling = ['temperature', 'top_p'].find((name) => body[name] !== undefined);
  const include = listOf(body['include']) as unknown as readonly string[];
  const reference = input.find(({ type }) => type === 'item_reference');
  const outputs = new Set(input.filter(({ type }) => type === 'function_call_output').map((one) => one['call_id']));
  const open = input.find((one) => one['type'] === 'function_call' && !outputs.has(one['call_id']));
  const tool = listOf(body['tools']).findIndex(({ parameters }) => schemaRootProblem(parameters, 'x') !== undefined);
  return first(
    unknownMember(body, OPENAI_KNOWN, (name) => `Unknown parameter: '${name}'.`),
    body['store'] !== false && 'This organization stores nothing: store must be false',
    Number(body['max_output_tokens'] ?? 16) < 16 &&
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
    reference && `Item with id '${String(reference['id'])}' not found.`,
    open && `No tool output found for function call ${String(open['call_id'])}.`,
    reasons && sampling !== undefined && `Unsupported parameter: '${sampling}' is not supported with this model.`,
    !reasons &&
      include.includes('reasoning.encrypted_content') &&
      'Encrypted content is not supported with this model.',
    !reasons && effort !== undefined && `Unsupported parameter: 'reasoning.effort' is not supported with this model.`,
    effort !== undefined &&
      efforts?.includes(effort) === false &&
      `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${efforts.map((one) => `'${one}'`).join(', ')}.`,
    format['type'] === 'json_object' &&
      !mentionsJson(input) &&
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    format['type'] === 'json_schema' &&
      format['strict'] === true &&
      !isStrictSchema(format['schema']) &&
      "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    tool >= 0 && `Invalid schema for function at tools[${tool}]: schema must be a JSON Schema of 'type: "object"'.`,
  );
}

/** The body of a refusal as OpenAI writes it. */
export const openAiRefused = (message: string): object => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});

/** OpenAI's Responses API. */
export const OPENAI: NativeDouble = {
  model: (baseURL, name = 'gpt-5.4') => createOpenAI({ baseURL, apiKey: 'k' }).responses(name),
  refusal: (body, model) => responsesRefusal(body, model, /^(o\d|gpt-[5-9])/.test(model)),
  refused: openAiRefused,
  answer: responsesStream,
};

/** A deployment whose name says whether its model reasons, but not in the words of OpenAI. */
export const AZURE: NativeDouble = {
  model: (baseURL, name = 'team-thinker') => createAzure({ baseURL, apiKey: 'k' })(name),
  refusal: (body, model) => responsesRefusal(body, model, model.includes('thinker')),
  refused: openAiRefused,
  answer: responsesStream,
};
