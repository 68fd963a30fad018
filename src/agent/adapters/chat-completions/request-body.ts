import { isPlainObject, type Json, jsonMembers } from '../../../common/index.js';
import type { ModelMessage, ModelOptions, ModelPart, ModelRequest, ModelToolCall } from '../../ports/model-client.js';
import { argumentsText, type ToolDeclaration } from '../../../tools/index.js';
import { replayedAnswer } from './replayed-answer.js';
import { type MediaPart, toMediaPart, unsupportedPart } from '../upstream/media-part.js';
import { normalizedSchema } from '../upstream/tool-schema.js';
import { COMMON_SCHEMA_RULES } from '../upstream/tool-schema-rules.js';

/** A member of a request body: JSON, where undefined members are left out. */
type Body = { readonly [key: string]: unknown };

/**
 * A model request as the JSON body of a streaming Chat Completions call.
 *
 * @param model of requests that name none
 * @throws AppError INVALID_PARAMETER when a part cannot be carried by the format: it has text, images
 *   (inline or by address), WAV and MP3 audio, PDF files and text files
 */
export function requestBody(request: ModelRequest, model: string): string {
  const { options } = request;
  const head = JSON.stringify({
    model: options.model ?? model,
    max_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    response_format: responseFormat(options),
    stop: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    reasoning_effort: options.reasoningEffort,
    messages: request.messages.map(wireMessage),
  });
  return `${head.slice(0, -1)}${toolMembers(request)},"stream":true,"stream_options":{"include_usage":true}}`;
}

/** The members of the body that belong to tools. Providers refuse a choice where there is nothing to choose from. */
function toolMembers({ tools, options }: ModelRequest): string {
  if (tools.length === 0) return '';
  const { toolChoice, parallelToolCalls } = options;
  const choice = jsonMembers({
    tool_choice:
      typeof toolChoice === 'object' ? { type: 'function', function: { name: toolChoice.name } } : toolChoice,
    parallel_tool_calls: parallelToolCalls,
  });
  return `,"tools":[${tools.map(toolText).join()}]${choice && `,${choice}`}`;
}

/** A tool as JSON, and what it was made of. */
interface ToolText extends Pick<ToolDeclaration, 'name' | 'description'> {
  readonly text: string;
}

/** By the schema of the parameters: that of a tool of the server is the same object in each call. */
const toolTexts = new WeakMap<object, ToolText>();

function toolText({ name, description, parameters }: ToolDeclaration): string {
  const known = toolTexts.get(parameters);
  if (known && known.name === name && known.description === description) return known.text;
  const schema = normalizedSchema(parameters, COMMON_SCHEMA_RULES);
  const text = JSON.stringify({ type: 'function', function: { name, description, parameters: schema } });
  toolTexts.set(parameters, { name, description, text });
  return text;
}

/** Text is the default of every server, so it is not sent. */
function responseFormat({ responseFormat: format }: ModelOptions): Body | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, schema, strict, description } = format;
  return { type: 'json_schema', json_schema: { schema, strict: strict === true, name, description } };
}

function wireMessage(message: ModelMessage): Body {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: userContent(message.content) };
    case 'assistant':
      return assistantMessage(message);
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
  }
}

/** A single text is a string: servers that know only text take nothing else. */
function userContent(parts: readonly ModelPart[]): string | Body[] {
  const [first] = parts;
  if (!first) return '';
  const content = parts.map((part) => wirePart(toMediaPart(part)));
  return parts.length === 1 && content[0]?.['type'] === 'text' && first.type === 'text' ? first.text : content;
}

/** @throws AppError for parts that this API cannot carry */
function wirePart(part: MediaPart): Body {
  if (part.kind === 'text') return { type: 'text', text: part.text };
  const { mediaType } = part;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url: imageUrl(part) } };
  if (part.kind === 'address') {
    throw unsupportedPart('The model takes files inline only: send the data of the file instead of its address');
  }
  const { base64 } = part;
  if (mediaType.startsWith('audio/')) {
    const format = mediaType === 'audio/wav' ? 'wav' : 'mp3';
    return { type: 'input_audio', input_audio: { data: base64, format } };
  }
  const filename = part.filename ?? 'document.pdf';
  return { type: 'file', file: { filename, file_data: `data:${mediaType};base64,${base64}` } };
}

/** JPEG is given for an unknown format, since a data URL needs a concrete media type. */
function imageUrl(part: Exclude<MediaPart, { kind: 'text' }>): string {
  if (part.kind === 'address') return part.url.toString();
  const mediaType = part.mediaType === 'image/*' ? 'image/jpeg' : part.mediaType;
  return `data:${mediaType};base64,${part.base64}`;
}

function assistantMessage(message: Extract<ModelMessage, { role: 'assistant' }>): Body {
  const { content, toolCalls } = message;
  if (toolCalls.length === 0) return { role: 'assistant', content };
  const { reasoning_content, extra_content = {} } = replayedAnswer(message);
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    reasoning_content,
    tool_calls: toolCalls.map((call, place) => wireCall(call, extra_content[place])),
  };
}

/** Arguments that are not valid JSON are wrapped: a server may reject them, even those of earlier turns. */
function wireCall({ id, name, arguments: text }: ModelToolCall, extra: Json | undefined): Body {
  return { id, type: 'function', function: { name, arguments: validArguments(text) }, extra_content: extra };
}

/**
 * Valid arguments are sent as the model wrote them: parsing and printing them again would change large
 * numbers and miss the provider's prompt cache. Invalid ones are wrapped, because many providers refuse
 * a conversation that has invalid JSON in it.
 */
function validArguments(written: string): string {
  const text = argumentsText(written);
  try {
    if (isPlainObject(JSON.parse(text))) return text;
  } catch {
    // Wrapped below.
  }
  return JSON.stringify({ invalid_json: text });
}
