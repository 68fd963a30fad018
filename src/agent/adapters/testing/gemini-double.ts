import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { geminiStream } from './native-answers.js';
import { type Fields, first, listOf, unknownMember } from './native-checks.js';
import type { NativeBody, NativeDouble } from './native-server.js';

const GEMINI_SCHEMA =
  'type format title description nullable enum items properties required anyOf minItems maxItems minLength maxLength minimum maximum pattern'.split(
    ' ',
  );
const GEMINI_CONFIG =
  'maxOutputTokens temperature topP topK stopSequences seed frequencyPenalty presencePenalty responseMimeType responseSchema responseModalities thinkingConfig'.split(
    ' ',
  );

/** @param path for the words of the refusal */
function geminiSchemaProblem(schema: unknown, path: string): string | undefined {
  if (schema === undefined) return undefined;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return `Invalid value at '${path}' (type.googleapis.com/google.ai.generativelanguage.v1beta.Schema)`;
  }
  const { type, enum: values, items, properties, required, anyOf } = schema as Fields;
  const members = (properties ?? {}) as Fields;
  const texts = Array.isArray(values) ? (values as unknown[]) : [];
  return first(
    unknownMember(
      schema as Fields,
      GEMINI_SCHEMA,
      (name) => `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`,
    ),
    Array.isArray(type) && `Proto field is not repeating, cannot start list at '${path}.type'.`,
    type === undefined && anyOf === undefined && `${path}: field predicate failed: type must be specified`,
    anyOf !== undefined &&
      Object.keys(schema).some((key) => !['anyOf', 'nullable', 'description', 'title'].includes(key)) &&
      `${path}: when using any_of, it must be the only field set`,
    texts.some((value) => typeof value !== 'string') && `Invalid value at '${path}.enum[0]' (TYPE_STRING)`,
    type === 'array' && items === undefined && `${path}.items: missing field.`,
    (listOf(required) as unknown as string[]).some((name) => !(name in members)) &&
      `${path}.required[0]: property is not defined`,
    ...Object.entries(members).map(([name, one]) => geminiSchemaProblem(one, `${path}.properties[${name}]`)),
    ...listOf(anyOf).map((one, at) => geminiSchemaProblem(one, `${path}.any_of[${at}]`)),
    items === undefined ? undefined : geminiSchemaProblem(items, `${path}.items`),
  );
}

function geminiRefusal(body: NativeBody, model: string): string | undefined {
  const contents = listOf(body['contents']);
  const config = (body['generationConfig'] ?? {}) as Fields;
  const declared = listOf(body['tools']).flatMap((one) => listOf(one['functionDeclarations']));
  const penalty = ['frequencyPenalty', 'presencePenalty'].some((name) => config[name] !== undefined);
  const { thinkingLevel } = (config['thinkingConfig'] ?? {}) as Fields;
  const counts = contents.map(({ parts }) => listOf(parts).filter((part) => part['functionCall']).length);
  return first(
    unknownMember(
      config,
      GEMINI_CONFIG,
      (name) => `Invalid JSON payload received. Unknown name "${name}" at 'generation_config'`,
    ),
    contents[0]?.['role'] !== 'user' && 'Please ensure that the first content is of the user',
    contents.some(({ parts }) => listOf(parts).length === 0) &&
      'GenerateContentRequest.contents[0].parts: contents is not specified',
    contents.some(({ parts }) => listOf(parts).some(({ text }) => text === '')) &&
      'Unable to submit request because it has an empty text parameter.',
    counts.some(
      (count, at) => count !== listOf(contents[at + 1]?.['parts']).filter((part) => part['functionResponse']).length,
    ) && 'Please ensure that the number of function response parts is equal to the number of function call parts',
    listOf(config['stopSequences']).length > 5 && 'The number of stop_sequences must be at most 5.',
    penalty && 'Penalty is not enabled for this model',
    thinkingLevel !== undefined && model.includes('2.5') && 'Thinking level is not supported for this model.',
    declared.length > 0 &&
      config['responseMimeType'] === 'application/json' &&
      "Function calling with a response mime type: 'application/json' is unsupported",
    declared
      .map(({ parameters }, at) =>
        geminiSchemaProblem(parameters, `GenerateContentRequest.tools[0].function_declarations[${at}].parameters`),
      )
      .find((problem) => problem !== undefined),
    geminiSchemaProblem(config['responseSchema'], 'GenerateContentRequest.generation_config.response_schema'),
  );
}

/** The Gemini API. */
export const GOOGLE: NativeDouble = {
  model: (baseURL, name = 'gemini-3-flash') => createGoogleGenerativeAI({ baseURL, apiKey: 'k' })(name),
  refusal: geminiRefusal,
  refused: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  answer: geminiStream,
};
