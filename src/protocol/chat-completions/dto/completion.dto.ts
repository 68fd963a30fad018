import { getSchemaPath } from '@nestjs/swagger';
import { integer, madeDto, object, objects, string, word } from '../../openai/index.js';

const flag = { type: Boolean };
const number = { type: Number };

/** The body of `POST /chat/completions`. Fields that are not listed are ignored. */
export const CompletionRequestDto = madeDto('CreateChatCompletion', {
  messages: { ...objects, description: 'The conversation, oldest message first.' },
  'model?': { ...string, description: 'An agent type. Any other name selects the default agent.' },
  'stream?': { ...flag, default: false },
  'stream_options?': { ...object, description: '`include_usage`: the last chunk has the usage.' },
  'temperature?': { ...number, minimum: 0, maximum: 2 },
  'top_p?': { ...number, minimum: 0, maximum: 1 },
  'presence_penalty?': { ...number, minimum: -2, maximum: 2 },
  'frequency_penalty?': { ...number, minimum: -2, maximum: 2 },
  'max_completion_tokens?': { type: 'integer', minimum: 1 },
  'max_tokens?': { type: 'integer', minimum: 1, description: 'The older name of `max_completion_tokens`.' },
  'seed?': { type: 'integer' },
  'stop?': { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 4 }] },
  'reasoning_effort?': word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  'response_format?': { ...object, description: '`text`, `json_object` or `json_schema`.' },
  'tools?': { ...objects, description: 'Functions that the client runs. Those of the server are not declared.' },
  'tool_choice?': { oneOf: [{ type: 'string' }, { type: 'object' }] },
  'parallel_tool_calls?': flag,
  'store?': { ...flag, description: 'True: the completion can be listed and retrieved.' },
  'metadata?': { ...object, description: 'At most 16 pairs of short strings; `session_id` names the session.' },
  'user?': { ...string, description: 'The user that a key acts for.' },
  'safety_identifier?': string,
});

/** The body of `POST /chat/completions/{id}`. */
export const MetadataDto = madeDto('ChatCompletionMetadata', {
  metadata: { ...object, description: 'At most 16 pairs of short strings.' },
});

const CallDto = madeDto('ChatCompletionToolCall', {
  id: string,
  type: word('function'),
  function: object,
});

/** The answer without a stream. */
export const CompletionDto = madeDto('ChatCompletion', {
  id: string,
  object: word('chat.completion'),
  created: integer,
  model: string,
  choices: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        index: { type: 'integer' },
        message: {
          type: 'object',
          properties: {
            role: { type: 'string' },
            content: { type: 'string', nullable: true },
            refusal: { type: 'string', nullable: true },
            reasoning_content: { type: 'string' },
            tool_calls: { type: 'array', items: { $ref: getSchemaPath(CallDto) } },
          },
        },
        finish_reason: { type: 'string', enum: ['stop', 'length', 'content_filter', 'tool_calls'] },
      },
    },
  },
  usage: object,
  'metadata?': { ...object, description: 'Only of stored completions.' },
});

/** One chunk of a stream. */
export const CompletionChunkDto = madeDto('ChatCompletionChunk', {
  id: string,
  object: word('chat.completion.chunk'),
  created: integer,
  model: string,
  choices: objects,
  'usage?': { ...object, nullable: true },
});

/** The error of this wire. */
export const CompletionErrorDto = madeDto('ChatCompletionError', {
  error: {
    type: 'object',
    properties: {
      message: { type: 'string' },
      type: { type: 'string' },
      param: { type: 'string', nullable: true },
      code: { type: 'string' },
    },
  },
});

/** All that the document refers to. */
export const COMPLETION_DTOS = [CompletionDto, CompletionChunkDto, CallDto];
