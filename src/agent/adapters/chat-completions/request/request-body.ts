import type { ModelMessage, ModelRequest } from '../../../ports/model-client.js';
import { type RuleSet, rulesFor, type WireRules } from '../profiles/wire-rules.js';
import { responseFormat } from './response-format.js';
import { sentTools, writtenTools } from './tool-members.js';
import { wireMessages } from './wire-messages.js';

/** How requests of one model are written. */
export interface RequestForm {
  /** The model of requests that name none. */
  readonly model: string;
  /** Where requests go (see `originOf`): state of others is left out. */
  readonly origin: string;
  readonly rules: RuleSet;
}

/** A written request. */
export interface WrittenRequest {
  /** JSON text. */
  readonly body: string;
  /** Requested options that are not sent: sentences for the log, without content. */
  readonly notes: readonly string[];
  /** The rules that it was written by. */
  readonly rules: WireRules;
}

/** The members of a body that refusals may rename or leave out. */
type Members = Record<string, unknown>;

/**
 * A model request as the JSON body of a streaming Chat Completions call (contract model-servers, section 1). What is not
 * asked for is not sent.
 *
 * @throws AppError INVALID_PARAMETER when a part cannot be carried by the format: it has text, images
 *   (inline or by address), WAV and MP3 audio, PDF files and text files
 */
export function writtenRequest(request: ModelRequest, form: RequestForm): WrittenRequest {
  const { options } = request;
  const effort = effortOf(request, form.rules.usual);
  const rules = rulesFor(form.rules, effort);
  const tools = writtenTools(request, rules);
  const format = responseFormat(options.responseFormat, request.messages, rules);
  const messages = format.words === undefined ? request.messages : withInstruction(request.messages, format.words);
  const members: Members = {
    model: options.model ?? form.model,
    max_tokens: rules.limit === 'max_tokens' ? options.maxTokens : undefined,
    max_completion_tokens: rules.limit === 'max_completion_tokens' ? options.maxTokens : undefined,
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    response_format: format.member,
    stop: options.stop?.length ? options.stop : undefined,
    seed: options.seed,
    stream_options: rules.streamUsage ? USAGE : undefined,
    messages: wireMessages(messages, { rules, origin: form.origin }),
  };
  if (effort !== undefined) Object.assign(members, effortMembers(effort, rules));
  adapt(members, rules);
  const body = `${JSON.stringify(members).slice(0, -1)}${tools.text},"stream":true}`;
  return { body, notes: [...tools.notes, ...effortNotes(request, effort)], rules };
}

const USAGE = { include_usage: true };

/** The requested effort, or the one that a request with tools must have. */
function effortOf(request: ModelRequest, usual: WireRules): string | undefined {
  const { toolsEffort } = usual;
  if (toolsEffort !== null && sentTools(request, usual).length > 0) return toolsEffort;
  return request.options.reasoningEffort;
}

function effortNotes({ options }: ModelRequest, effort: string | undefined): string[] {
  const asked = options.reasoningEffort;
  if (effort === undefined || effort === asked) return [];
  return [
    `The reasoning effort is ${effort}${asked === undefined ? '' : ` instead of ${asked}`}: ` +
      'the model takes tools on Chat Completions only without thinking.',
  ];
}

/** The members for an effort, with its word in the place of `$effort`. */
function effortMembers(effort: string, { effort: forms }: WireRules): object {
  const form = forms[effort] ?? forms['*'] ?? {};
  return JSON.parse(JSON.stringify(form).replaceAll('"$effort"', JSON.stringify(effort))) as object;
}

/** Adds what every body has, renames and leaves out. */
function adapt(members: Members, { extra, rename, omit }: WireRules): void {
  Object.assign(members, extra);
  for (const [name, other] of Object.entries(rename)) {
    members[other] = members[name];
    members[name] = undefined;
  }
  for (const name of omit) if (members[name] !== undefined) members[name] = undefined;
}

/** A sentence of this server at the end of the first system message. */
function withInstruction(messages: readonly ModelMessage[], words: string): readonly ModelMessage[] {
  const [first, ...rest] = messages;
  if (first?.role === 'system') return [{ role: 'system', content: `${first.content}\n\n${words}` }, ...rest];
  return [{ role: 'system', content: words }, ...messages];
}
