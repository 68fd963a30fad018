import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { anthropicStream, bedrockStream } from './native-answers.js';
import { type Fields, first, listOf, schemaRootProblem, unknownMember } from './native-checks.js';
import type { NativeBody, NativeDouble } from './native-server.js';

const ANTHROPIC_KNOWN =
  'model messages max_tokens system temperature top_p top_k stop_sequences tools tool_choice thinking output_config metadata stream'.split(
    ' ',
  );

function anthropicRefusal(body: NativeBody): string | undefined {
  const messages = listOf(body['messages']);
  const blocks = messages.flatMap(({ content }) => listOf(content));
  const roles = messages.map(({ role }) => role);
  const isThinking = ['enabled', 'adaptive'].includes(((body['thinking'] ?? {}) as { type: string }).type);
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const files = blocks.filter(({ type }) => type === 'image' || type === 'document');
  const odd = files.find(({ type, source }) => type === 'image' && !isAnthropicImage(source as Fields));
  const tool = listOf(body['tools']).findIndex((one) => schemaRootProblem(one['input_schema'], 'x') !== undefined);
  return first(
    unknownMember(body, ANTHROPIC_KNOWN, (name) => `${name}: Extra inputs are not permitted`),
    isBlankStop(body['stop_sequences']) && 'stop_sequences: each stop sequence must contain non-whitespace',
    roles[0] !== 'user' && 'messages: first message must use the "user" role',
    roles.some((role, at) => role === roles[at - 1]) && 'messages: roles must alternate between "user" and "assistant"',
    blocks.some(({ type, text }) => type === 'text' && String(text).trim() === '') &&
      'messages: text content blocks must contain non-whitespace text',
    blocks.some(({ type, content }) => type === 'tool_result' && content === '') &&
      'messages: tool_result content must be non-empty',
    uses.length > 0 && !body['tools'] && 'Requests which include `tool_use` or `tool_result` blocks must define tools',
    uses.some(({ id }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(String(id))) &&
      'messages: tool_use.id: String should match pattern',
    isThinking && body['temperature'] !== undefined && '`temperature` may only be set to 1 when thinking is enabled.',
    body['temperature'] !== undefined &&
      body['top_p'] !== undefined &&
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    odd &&
      'messages.0.content.0.image.source.base64.media_type: Input should be image/jpeg, image/png, image/gif or image/webp',
    tool >= 0 && `tools.${tool}.custom.input_schema: JSON schema is invalid.`,
  );
}

function isBlankStop(stops: unknown): boolean {
  return Array.isArray(stops) && stops.some((stop) => String(stop).trim() === '');
}

function isAnthropicImage({ type, media_type: mediaType }: Fields): boolean {
  return type === 'url' || /^image\/(jpeg|png|gif|webp)$/.test(String(mediaType));
}

/** Anthropic's Messages API. */
export const ANTHROPIC: NativeDouble = {
  model: (baseURL, name = 'claude-sonnet-4-5') => createAnthropic({ baseURL, apiKey: 'k' })(name),
  refusal: (body) => anthropicRefusal(body),
  refused: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  answer: anthropicStream,
};

const BEDROCK_KNOWN =
  'system messages inferenceConfig toolConfig additionalModelRequestFields additionalModelResponseFieldPaths guardrailConfig performanceConfig serviceTier'.split(
    ' ',
  );

function bedrockRefusal(body: NativeBody): string | undefined {
  const messages = listOf(body['messages']);
  const blocks = messages.flatMap(({ content }) => listOf(content));
  const roles = messages.map(({ role }) => role);
  const results = blocks.flatMap((block) => (block['toolResult'] ? [block['toolResult'] as Fields] : []));
  const texts = [...blocks, ...results.flatMap(({ content }) => listOf(content))];
  const hasToolBlocks = results.length > 0 || blocks.some((block) => block['toolUse']);
  const tools = listOf(((body['toolConfig'] ?? {}) as Fields)['tools']).map((one) => one['toolSpec'] as Fields);
  const names = blocks.flatMap(({ document }) => (document ? [String((document as Fields)['name'])] : []));
  const tool = tools.findIndex(
    ({ inputSchema }) => schemaRootProblem((inputSchema as Fields)['json'], 'x') !== undefined,
  );
  return first(
    unknownMember(
      body,
      BEDROCK_KNOWN,
      (name) =>
        `Malformed input request: #: extraneous key [${name}] is not permitted, please reformat your input and try again.`,
    ),
    isBlankStop(((body['inferenceConfig'] ?? {}) as Fields)['stopSequences']) &&
      'stop_sequences: each stop sequence must contain non-whitespace',
    roles[0] !== 'user' &&
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    roles.some((role, at) => role === roles[at - 1]) &&
      'A conversation must alternate between user and assistant roles.',
    messages.some(({ content }) => listOf(content).length === 0) &&
      'The content field in the Message object at messages.0 is empty.',
    texts.some(({ text }) => typeof text === 'string' && text.trim() === '') &&
      'The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.',
    hasToolBlocks &&
      tools.length === 0 &&
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    names.some((name) => !/^[a-zA-Z0-9\s\-()[\]]+$/.test(name)) &&
      'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.',
    tool >= 0 &&
      `The value at toolConfig.tools.${tool}.toolSpec.inputSchema.json.type must be one of the following: object.`,
  );
}

/** Bedrock's Converse API. */
export const BEDROCK: NativeDouble = {
  model: (baseURL, name = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0') =>
    createAmazonBedrock({ baseURL, apiKey: 'k', region: 'us-east-1' })(name),
  refusal: (body) => bedrockRefusal(body),
  refused: (message) => ({ message }),
  answer: bedrockStream,
};
