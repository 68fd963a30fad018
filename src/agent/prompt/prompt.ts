import { assertUnreachable, type JsonObject, type Principal } from '../../common/index.js';
import {
  type Content,
  type FileContent,
  isCutByLimit,
  type Message,
  sinceSummary,
  summaryOf,
} from '../../events/index.js';
import { isAttachmentReference, isOwnPath, isTenantPath, parseReference } from '../attachment/index.js';
import type { ModelMessage, ModelPart, ModelToolCall } from '../ports/model-client.js';
import type { KeptStates } from './kept-states.js';
import { callsOf, imagesOf, isCall, isCallOutput, outputsOf, replayOf } from './tool-traffic.js';

/**
 * The result of a call without one, because providers refuse conversations with open calls: nobody has answered it, and the
 * user went on.
 */
export const NO_RESULT = 'No result: the call was cancelled by the user.';
/** As `NO_RESULT`, by the statuses of runs that ended before the call did (contract model-servers, section 4.1). */
const NO_RESULT_OF: Readonly<Record<string, string>> = {
  failed: 'No result: the run failed before the call was finished.',
  canceled: 'No result: the run was stopped before the call was finished.',
  incomplete: 'No result: a limit ended the answer, so the call was not made.',
};

/** True for a result that says why there is none. */
export function isNoResult(content: string): boolean {
  return content === NO_RESULT || Object.values(NO_RESULT_OF).includes(content);
}

/** A call in the prompt; `output` is undefined until its output is found. */
interface OpenCall extends ModelToolCall {
  /** The result if there is none. */
  readonly missing: string;
  output: string | undefined;
  images: ReturnType<typeof imagesOf>;
}

/** Texts and calls of the assistant that form one model message, and the outputs of the calls. */
class AssistantTurn {
  readonly texts: string[] = [];
  readonly images: ModelPart[] = [];
  readonly calls: OpenCall[] = [];
  /** As earlier versions stored it. */
  replay: JsonObject | undefined;
  state: JsonObject | undefined;
  isAnswered = false;

  /** True for what belongs to another answer of the model: a state is stored with the last message of its answer. */
  get isOver(): boolean {
    return this.isAnswered || this.state !== undefined;
  }

  /** The turn as messages for the model; none if it is empty. */
  toModelMessages(states: Map<ModelMessage, JsonObject>): ModelMessage[] {
    const marks = this.images.map((_, index) => `[image ${index + 1} of ${this.images.length}]`);
    const content = [...this.texts, ...marks].join('\n');
    if (content === '' && this.calls.length === 0) return [];
    const answer: ModelMessage = {
      role: 'assistant',
      content,
      toolCalls: this.calls.map(bareCall),
      ...(this.replay && { replay: this.replay }),
    };
    if (this.state) states.set(answer, this.state);
    return [
      answer,
      ...this.calls.map(({ id, name, output, missing, images }): ModelMessage => ({
        role: 'tool',
        callId: id,
        name,
        content: output ?? missing,
        ...(images.length > 0 && { images }),
      })),
      ...this.shownImages,
    ];
  }

  /** Images are taken from users only. */
  private get shownImages(): ModelMessage[] {
    if (this.images.length === 0) return [];
    const text = this.images.length === 1 ? '[The image of your answer:]' : '[The images of your answer, in order:]';
    return [{ role: 'user', content: [{ type: 'text', text }, ...this.images], isOfResults: true }];
  }
}

/** A conversation for a model. */
export interface Prompt {
  readonly messages: ModelMessage[];
  readonly states: KeptStates;
}

/** As `toPrompt`, without what providers want back. */
export function toModelMessages(systemPrompt: string, messages: readonly Message[]): ModelMessage[] {
  return toPrompt(systemPrompt, messages).messages;
}

/**
 * Converts a conversation to the messages of a model client. Each call is followed by its output, regardless
 * of the output's position. Outputs of unknown calls, reasoning, and incomplete messages without text are left
 * out, and so is what the last summary stands for.
 *
 * @param systemPrompt the first message; left out if empty
 * @param states what providers want back with messages, as JSON texts by the ids of the messages
 * @param ends the statuses of the runs of calls without a result, by the ids of their messages
 */
export function toPrompt(
  systemPrompt: string,
  messages: readonly Message[],
  states: ReadonlyMap<string, string> = new Map(),
  ends: ReadonlyMap<string, string> = new Map(),
): Prompt {
  const turns: (AssistantTurn | ModelMessage)[] = [];
  const openCalls = new Map<string, { call: OpenCall; turn: AssistantTurn }>();
  if (systemPrompt !== '') turns.push({ role: 'system', content: systemPrompt });
  for (const message of sinceSummary(messages)) {
    const summary = summaryOf(message);
    if (summary !== undefined) {
      turns.push({ role: 'system', content: summary });
      continue;
    }
    const state = states.get(message.id);
    if (isLeftOut(message)) {
      if (state !== undefined) assistantTurn(turns).state = JSON.parse(state) as JsonObject;
      continue;
    }
    if (isCallOutput(message)) answer(message, openCalls);
    else if (isCall(message)) {
      const turn = assistantTurn(turns);
      turn.replay = replayOf(message) ?? turn.replay;
      const missing = NO_RESULT_OF[isCutByLimit(message) ? 'incomplete' : (ends.get(message.id) ?? '')] ?? NO_RESULT;
      for (const made of callsOf(message)) {
        const call: OpenCall = { output: undefined, missing, images: [], ...made };
        turn.calls.push(call);
        openCalls.set(call.id, { call, turn });
      }
    } else if (message.role === 'assistant') {
      const turn = assistantTurn(turns);
      const text = readableText(message);
      const images = (message.content ?? []).flatMap((content) => (content.type === 'image' ? partOf(content) : []));
      if (text !== '' || images.length === 0) turn.texts.push(text);
      turn.images.push(...images);
    } else turns.push(...plainMessage(message));
    const last = turns.at(-1);
    if (state !== undefined && last instanceof AssistantTurn) last.state = JSON.parse(state) as JsonObject;
  }
  const kept = new Map<ModelMessage, JsonObject>();
  const prompt = turns.flatMap((turn) => (turn instanceof AssistantTurn ? turn.toModelMessages(kept) : [turn]));
  return { messages: prompt, states: kept };
}

/** The turn of the assistant's next text or call: a new one after an output or a message of another role. */
function assistantTurn(turns: (AssistantTurn | ModelMessage)[]): AssistantTurn {
  const last = turns.at(-1);
  if (last instanceof AssistantTurn && !last.isOver) return last;
  const turn = new AssistantTurn();
  turns.push(turn);
  return turn;
}

/** Only the first output of a call counts. An id that is used again later refers to the newest call. */
function answer(message: Message, openCalls: Map<string, { call: OpenCall; turn: AssistantTurn }>): void {
  for (const { callId, output } of outputsOf(message)) {
    const open = openCalls.get(callId);
    if (!open || open.call.output !== undefined) continue;
    open.call.output = output;
    open.call.images = imagesOf(message);
    open.turn.isAnswered = true;
  }
}

/** A message of the system or the user; those of tools are left out. */
function plainMessage(message: Message): ModelMessage[] {
  if (message.role === 'system') {
    const content = readableText(message);
    return content === '' ? [] : [{ role: 'system', content }];
  }
  if (message.role === 'tool') return [];
  const parts = partsOf(message);
  return parts.length === 0 ? [] : [{ role: 'user', content: parts }];
}

/**
 * True for messages that mean nothing to the model, and for unfinished ones without a readable text. Calls that a limit
 * has cut stay: clients may answer them, and providers want the calls of an answer back as they were.
 */
function isLeftOut(message: Message): boolean {
  const isToolMessage = isCall(message) || isCallOutput(message);
  if (!isToolMessage && message.type !== 'message' && message.type !== 'a2ui_action') return true;
  if (isToolMessage && isCutByLimit(message)) return false;
  const isUnfinished = message.status === 'failed' || message.status === 'incomplete' || message.status === 'canceled';
  return isUnfinished && (isToolMessage || readableText(message) === '');
}

/** A call without what else is known of it. */
export function bareCall({ id, name, arguments: text }: ModelToolCall): ModelToolCall {
  return { id, name, arguments: text };
}

/** The texts, refusals and data of a message as one text. */
function readableText(message: Message): string {
  return (message.content ?? []).map(contentText).filter(Boolean).join('\n');
}

/** A user's message as model parts. Contents that models do not accept are described in text. */
function partsOf(message: Message): ModelPart[] {
  return (message.content ?? []).flatMap(partOf);
}

function contentText(content: Content): string {
  if (content.type === 'text') return content.text ?? '';
  if (content.type === 'refusal') return content.refusal ?? '';
  if (content.type === 'data') return content.data ? JSON.stringify(content.data) : '';
  return '';
}

function partOf(content: Content): ModelPart[] {
  switch (content.type) {
    case 'text':
    case 'refusal':
    case 'data':
      return textPart(contentText(content));
    case 'image':
      return content.image_url ? [{ type: 'image', url: content.image_url }] : [];
    case 'audio':
      return content.data ? [{ type: 'audio', data: content.data, format: content.format ?? 'wav' }] : [];
    case 'file':
      return filePart(content);
    case 'video':
      return textPart(content.video_url ? videoNote(content.video_url) : '');
    default:
      return assertUnreachable(content);
  }
}

function textPart(text: string): ModelPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** A file of which only a name or an id is known becomes a note, so that the model can say so. */
function filePart(content: FileContent): ModelPart[] {
  const { file_url: url, file_data: data, filename, file_id: id } = content;
  if (url || data) return [{ type: 'file', url, data, filename }];
  return textPart(
    filename || id ? `[The user attached the file ${filename ?? id}; its content is not available.]` : '',
  );
}

/** Models get no video. A `data:` URL is left out of the note because of its length. */
function videoNote(url: string): string {
  return url.startsWith('data:') ? '[The user attached a video.]' : `[The user attached the video ${url}]`;
}

/**
 * Removes references to attachments of other users. Requests cannot add such references to a session; this
 * protects against messages that were stored in another way.
 *
 * @param isAuthenticated false: users are claims, and only attachments of other tenants are removed
 */
export function withOwnAttachments(
  messages: readonly ModelMessage[],
  principal: Principal,
  isAuthenticated = true,
): ModelMessage[] {
  const isOwn = (part: ModelPart): boolean => !isForeign(part, principal, isAuthenticated);
  return messages.map((message) => {
    if (message.role === 'tool' && message.images?.every(isOwn) === false)
      return { ...message, images: message.images.filter(isOwn) };
    if (message.role !== 'user' || message.content.every(isOwn)) return message;
    return { ...message, content: message.content.filter(isOwn) };
  });
}

/** True if the part refers to an attachment of another tenant or user. */
function isForeign(part: ModelPart, principal: Principal, isAuthenticated: boolean): boolean {
  const url = part.type === 'image' || part.type === 'file' ? part.url : null;
  if (url === null || !isAttachmentReference(url)) return false;
  const place = parseReference(url);
  if (!place) return true;
  return isAuthenticated ? !isOwnPath(principal, place.path) : !isTenantPath(principal.tenantId, place.path);
}
