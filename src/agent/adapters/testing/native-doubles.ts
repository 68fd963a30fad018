import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createXai } from '@ai-sdk/xai';
import { ANTHROPIC, BEDROCK } from './claude-doubles.js';
import { GOOGLE } from './gemini-double.js';
import { completionStream } from './native-answers.js';
import { AZURE, OPENAI, openAiRefused } from './openai-doubles.js';
import { type Fields, first, isStrictSchema, listOf, mentionsJson, unknownMember } from './native-checks.js';
import type { NativeBody, NativeDouble } from './native-server.js';

/*
 * Strict doubles of the native APIs: each refuses what the documentation of the API, and reports of its users, say that it
 * refuses (contract model-servers, sections 1 and 5).
 */

const MISTRAL_KNOWN =
  'model messages temperature top_p max_tokens stream stop random_seed response_format tools tool_choice presence_penalty frequency_penalty parallel_tool_calls prompt_mode reasoning_effort safe_prompt'.split(
    ' ',
  );

function mistralRefusal(body: NativeBody): string | undefined {
  const messages = listOf(body['messages']);
  const last = messages.at(-1)?.['role'];
  const ids = messages.flatMap(({ tool_call_id: id, tool_calls: calls }) => [
    ...(typeof id === 'string' ? [id] : []),
    ...listOf(calls).map((call) => String(call['id'])),
  ]);
  const format = (body['response_format'] ?? {}) as Fields;
  const schema = (format['json_schema'] ?? {}) as Fields;
  return first(
    unknownMember(body, MISTRAL_KNOWN, (name) => `body -> ${name}: Extra inputs are not permitted`),
    !['user', 'tool'].includes(String(last)) &&
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
    messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.['role'] === 'tool') &&
      "Unexpected role 'user' after role 'tool'",
    messages.some(
      (one) => one['role'] === 'assistant' && !one['tool_calls'] && (one['content'] === '' || one['content'] === null),
    ) && 'Assistant message must have either content or tool_calls, but not none.',
    ids.some((id) => !/^[a-zA-Z0-9]{9}$/.test(id)) &&
      'Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.',
    !['high', 'none', undefined].includes(body['reasoning_effort'] as string) &&
      "body -> reasoning_effort: Input should be 'high' or 'none'",
    format['type'] === 'json_schema' &&
      schema['strict'] === true &&
      !isStrictSchema(schema['schema']) &&
      'Invalid response_format: schema is not strict',
  );
}

const MISTRAL: NativeDouble = {
  model: (baseURL, name = 'mistral-medium-latest') => createMistral({ baseURL, apiKey: 'k' })(name),
  refusal: (body) => mistralRefusal(body),
  refused: (message) => ({ object: 'error', message, type: 'invalid_request_error', param: null, code: '1000' }),
  answer: completionStream((text) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] })),
};

const GROQ_KNOWN =
  'model messages temperature top_p max_tokens max_completion_tokens stream stop seed response_format tools tool_choice parallel_tool_calls presence_penalty frequency_penalty reasoning_effort reasoning_format user service_tier'.split(
    ' ',
  );
const GROQ_MEMBERS = ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning'];

function groqRefusal(body: NativeBody, model: string): string | undefined {
  const messages = listOf(body['messages']);
  const effort = body['reasoning_effort'] as string | undefined;
  const efforts = model.includes('qwen3') ? ['none', 'default'] : ['low', 'medium', 'high'];
  const format = (body['response_format'] ?? {}) as Fields;
  const schema = (format['json_schema'] ?? {}) as Fields;
  return first(
    unknownMember(body, GROQ_KNOWN, (name) => `property '${name}' is unsupported`),
    ...messages.map((one, at) =>
      unknownMember(
        one,
        GROQ_MEMBERS,
        (name) =>
          `'messages.${at}' : for 'role:${String(one['role'])}' the following must be satisfied[('messages.${at}' : property '${name}' is unsupported)]`,
      ),
    ),
    effort !== undefined &&
      !efforts.includes(effort) &&
      `\`reasoning_effort\` must be one of ${efforts.map((one) => `\`${one}\``).join(' or ')}`,
    format['type'] === 'json_object' &&
      !mentionsJson(messages) &&
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    format['type'] === 'json_schema' &&
      schema['strict'] === true &&
      !isStrictSchema(schema['schema']) &&
      'invalid JSON schema for response_format: additionalProperties:false must be set on every object',
  );
}

const GROQ: NativeDouble = {
  model: (baseURL, name = 'openai/gpt-oss-120b') => createGroq({ baseURL, apiKey: 'k' })(name),
  refusal: groqRefusal,
  refused: openAiRefused,
  answer: completionStream((reasoning) => ({ reasoning })),
};

const XAI_EFFORTS = ['none', 'low', 'medium', 'high'];

function xaiRefusal(body: NativeBody): string | undefined {
  const denied = ['presence_penalty', 'frequency_penalty', 'stop'].find((name) => body[name] !== undefined);
  const effort = body['reasoning_effort'] as string | undefined;
  const images = JSON.stringify(body['messages']).match(/data:(image\/[a-z+]+)/g) ?? [];
  return first(
    denied !== undefined && `Model grok-4.5 does not support parameter ${denied}.`,
    effort !== undefined && !XAI_EFFORTS.includes(effort) && `Invalid reasoning effort: ${effort}`,
    images.some((one) => !/png|jpe?g/.test(one)) && 'Unsupported content-type encountered when downloading image',
  );
}

const XAI: NativeDouble = {
  model: (baseURL, name = 'grok-4.5') => createXai({ baseURL, apiKey: 'k' })(name),
  refusal: (body) => xaiRefusal(body),
  refused: (error) => ({ code: 'Client specified an invalid argument', error }),
  answer: completionStream((reasoning_content) => ({ reasoning_content })),
};

/** The doubles by the names of their providers. */
export const NATIVE_DOUBLES = {
  openai: OPENAI,
  azure: AZURE,
  anthropic: ANTHROPIC,
  google: GOOGLE,
  bedrock: BEDROCK,
  mistral: MISTRAL,
  groq: GROQ,
  xai: XAI,
} as const satisfies Record<string, NativeDouble>;

/** The names of the doubles. */
export const NATIVE_NAMES = Object.keys(NATIVE_DOUBLES) as readonly (keyof typeof NATIVE_DOUBLES)[];
