import { isObjectText } from '../../common/index.js';
import { argumentsText } from '../tools/index.js';
import type { ModelMessage, ModelPart, ModelToolCall } from '../ports/model-client.js';
import { NO_RESULT } from './prompt.js';

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/** A call in its new place: its id is unique, and its result is undefined until it is found. */
interface Slot {
  readonly call: ModelToolCall;
  result: ToolMessage | undefined;
}

/** An answer with calls and the places of its results. */
interface Step {
  readonly answer: Extract<ModelMessage, { role: 'assistant' }>;
  readonly slots: readonly Slot[];
}

/** Characters of a repeated id that stay in its new form: some servers take ids of 40 characters at most. */
const KEPT_ID_LENGTH = 32;

/**
 * Puts each result directly after the answer with its call, in the order of the calls, and after them one message of the
 * user with the images of the results. Results without a call, and further ones of a call, are left out. A call whose
 * id was used before gets another one, as its result does. A result belongs to the newest call with its id.
 *
 * @param missing the result of a call that has none
 */
function withPairedResults(messages: readonly ModelMessage[], missing: string): readonly ModelMessage[] {
  if (!messages.some(isTraffic)) return messages;
  const ids = new UniqueIds(messages);
  const places: (ModelMessage | Step)[] = [];
  const open = new Map<string, Slot[]>();
  for (const message of messages) {
    if (message.role === 'tool') {
      const slot = open.get(message.callId)?.shift();
      if (slot) slot.result = message;
    } else if (message.role === 'assistant' && message.toolCalls.length > 0) {
      const slots = message.toolCalls.map((call): Slot => ({ call: ids.unique(call), result: undefined }));
      for (const { id } of message.toolCalls) open.set(id, []);
      message.toolCalls.forEach(({ id }, index) => slots[index] && open.get(id)?.push(slots[index]));
      places.push({ answer: message, slots });
    } else places.push(message);
  }
  return places.flatMap((place) => ('slots' in place ? messagesOf(place, missing) : [place]));
}

function isTraffic(message: ModelMessage): boolean {
  return message.role === 'tool' || (message.role === 'assistant' && message.toolCalls.length > 0);
}

function messagesOf({ answer, slots }: Step, missing: string): readonly ModelMessage[] {
  const calls = slots.map(({ call }) => call);
  const isSame = calls.every((call, index) => call === answer.toolCalls[index]);
  const images = slots.flatMap(({ result }) => result?.images ?? []);
  let shown = 0;
  const results = slots.map(({ call, result }): ModelMessage => {
    const { images: own = [], content = missing } = result ?? {};
    const marks = own.map(() => `[image ${(shown += 1)} of ${images.length}]`);
    if (result && marks.length === 0 && result.callId === call.id && result.name === call.name) return result;
    const text = [...(content === '' ? [] : [content]), ...marks].join('\n');
    return { role: 'tool', callId: call.id, name: call.name, content: text };
  });
  const carried: readonly ModelMessage[] =
    images.length === 0 ? [] : [{ role: 'user', content: captioned(images), isOfResults: true }];
  return [isSame ? answer : Object.assign({}, answer, { toolCalls: calls }), ...results, ...carried];
}

/** Several servers take images from users only. */
function captioned(images: readonly ModelPart[]): readonly ModelPart[] {
  const text = images.length === 1 ? '[The image of the tool results:]' : '[The images of the tool results, in order:]';
  return [{ type: 'text', text }, ...images];
}

/** Gives calls ids that no other call of the conversation has. */
class UniqueIds {
  private readonly all: ReadonlySet<string>;
  private readonly used = new Set<string>();

  constructor(messages: readonly ModelMessage[]) {
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
    this.all = new Set(calls.map(({ id }) => id));
  }

  /** The call itself if its id is new, otherwise a copy with another one. */
  unique(call: ModelToolCall): ModelToolCall {
    if (call.id !== '' && !this.used.has(call.id)) {
      this.used.add(call.id);
      return call;
    }
    const base = call.id === '' ? 'call' : call.id.slice(0, KEPT_ID_LENGTH);
    let id = base;
    for (let count = 2; this.used.has(id) || this.all.has(id) || id === base; count += 1) id = `${base}_${count}`;
    this.used.add(id);
    return { id, name: call.name, arguments: call.arguments };
  }
}

/** Where servers differ. */
export interface HistoryRules {
  /** True where a system message may be anywhere. Default: only one, at the beginning. */
  readonly systemAnywhere?: boolean;
  /** False where a user's message with images must not follow results either. Default true. */
  readonly imagesAfterResults?: boolean;
  /** False for a model that takes no images: a sentence stands for each. Default true. */
  readonly hasEyes?: boolean;
}

type AssistantMessage = Extract<ModelMessage, { role: 'assistant' }>;

/** Introduces a system text that stands where only users may speak. */
const INSTRUCTION = 'Instruction of the application:\n';
/** The user's message before an answer that has none. */
const BEGINNING = '[The beginning of the conversation is not available.]';
/** The last message of a conversation that ends with an answer. */
const CONTINUE = 'Continue.';
/** The answer between results and a user's message that follows them, as after a run that was stopped. */
const BRIDGE = 'Noted.';
/** Stands for an image that the model would not take. */
const UNSEEN = '[An image that this model cannot see.]';
/** A user's message without any text. */
const EMPTY = '[empty message]';

/**
 * A conversation in the form that the strictest server accepts (contract model-servers, section 4.1). At most one system
 * message comes first; later system texts are a user's text that is marked. User and assistant alternate, also if answers
 * with calls and the results are left out; images of results aside. The first message is the user's, the last one the
 * user's or a result. No answer is empty. Each call has one result, directly after its answer and in the order of the calls; ids of calls are unique. Arguments are
 * JSON objects, and texts have no halves of characters. Valid messages are returned as they are.
 */
export function validHistory(
  messages: readonly ModelMessage[],
  { systemAnywhere = false, imagesAfterResults = true, hasEyes = true }: HistoryRules = {},
): readonly ModelMessage[] {
  const spoken = withSystemFirst(messages.flatMap(cleaned), systemAnywhere);
  const joined = joinedNeighbors(withPairedResults(spoken, NO_RESULT));
  const begin = joined.findIndex(({ role }) => role !== 'system');
  const first = begin === -1 ? joined.length : begin;
  if (joined[first]?.role !== 'user') joined.splice(first, 0, userText(first === joined.length ? CONTINUE : BEGINNING));
  if (joined.at(-1)?.role === 'assistant' || joined.at(-1)?.role === 'system') joined.push(userText(CONTINUE));
  const ordered = bridged(joined, imagesAfterResults);
  return hasEyes ? ordered : ordered.map(withoutImages);
}

/** Servers whose models take no images refuse the whole request. */
function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || message.content.every(({ type }) => type !== 'image')) return message;
  const content = message.content.map((part): ModelPart =>
    part.type === 'image' ? { type: 'text', text: UNSEEN } : part,
  );
  return Object.assign({}, message, { content });
}

/** A message with valid texts and arguments; none if nothing is left of it. */
function cleaned(message: ModelMessage): readonly ModelMessage[] {
  switch (message.role) {
    case 'system':
    case 'tool':
      if (message.role === 'system' && isBlank(message.content)) return [];
      return [message.content.isWellFormed() ? message : { ...message, content: message.content.toWellFormed() }];
    case 'user':
      return [message.content.every(isCleanPart) && message.content.length > 0 ? message : cleanUser(message.content)];
    case 'assistant':
      return cleanAnswer(message);
  }
}

function cleanUser(parts: readonly ModelPart[]): ModelMessage {
  const content = parts
    .filter((part) => part.type !== 'text' || !isBlank(part.text))
    .map((part) => (part.type === 'text' ? { ...part, text: part.text.toWellFormed() } : part));
  return content.length === 0 ? userText(EMPTY) : { role: 'user', content };
}

function isCleanPart(part: ModelPart): boolean {
  return part.type !== 'text' || (part.text.isWellFormed() && !isBlank(part.text));
}

function cleanAnswer(message: AssistantMessage): readonly ModelMessage[] {
  const { content, toolCalls } = message;
  if (isBlank(content) && toolCalls.length === 0) return [];
  const isClean = content.isWellFormed() && (content === '' || !isBlank(content)) && toolCalls.every(isCleanCall);
  if (isClean) return [message];
  const text = isBlank(content) ? '' : content.toWellFormed();
  return [Object.assign({}, message, { content: text, toolCalls: toolCalls.map(cleanCall) })];
}

function isCleanCall({ name, arguments: text }: ModelToolCall): boolean {
  return name.isWellFormed() && text.isWellFormed() && isObjectText(text);
}

/** What the model wrote wrongly is shown to it as it was. */
function cleanCall({ id, name, arguments: written }: ModelToolCall): ModelToolCall {
  const wellFormed = argumentsText(written).toWellFormed();
  const isObject = isObjectText(wellFormed);
  const wrapped = JSON.stringify({ invalid_json: wellFormed });
  return { id, name: name.toWellFormed(), arguments: isObject ? wellFormed : wrapped };
}

/** The system texts of the beginning as one message; later ones as user's texts, unless they may be anywhere. */
function withSystemFirst(messages: readonly ModelMessage[], systemAnywhere: boolean): readonly ModelMessage[] {
  const begin = messages.findIndex(({ role }) => role !== 'system');
  const count = begin === -1 ? messages.length : begin;
  const leading = messages.slice(0, count);
  const rest = messages.slice(count);
  const texts = leading.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  const first = count <= 1 ? leading : [{ role: 'system', content: texts.join('\n\n') } as const];
  if (systemAnywhere || rest.every(({ role }) => role !== 'system')) return [...first, ...rest];
  return [
    ...first,
    ...rest.map((message) => (message.role === 'system' ? userText(INSTRUCTION + message.content) : message)),
  ];
}

/** Neighboring messages of the user as one, and an answer without calls with the answer that follows it. */
function joinedNeighbors(messages: readonly ModelMessage[]): ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      joined[joined.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    } else if (last?.role === 'assistant' && message.role === 'assistant' && last.toolCalls.length === 0) {
      joined[joined.length - 1] = joinedAnswers(last, message);
    } else joined.push(message);
  }
  return joined;
}

/** What a provider wants back belongs to one answer: that of the last one counts. */
function joinedAnswers(one: AssistantMessage, next: AssistantMessage): AssistantMessage {
  const replay = next.replay ?? one.replay;
  return {
    role: 'assistant',
    content: [one.content, next.content].filter((text) => text !== '').join('\n'),
    toolCalls: next.toolCalls,
    ...(replay && { replay }),
  };
}

/** Several servers want an answer between results and the user's next message. */
function bridged(messages: readonly ModelMessage[], imagesAfterResults: boolean): readonly ModelMessage[] {
  const needsBridge = (message: ModelMessage, index: number): boolean =>
    message.role === 'user' &&
    messages[index - 1]?.role === 'tool' &&
    !(imagesAfterResults && message.content.some(({ type }) => type === 'image'));
  if (!messages.some(needsBridge)) return messages;
  return messages.flatMap((message, index) =>
    needsBridge(message, index) ? [{ role: 'assistant', content: BRIDGE, toolCalls: [] }, message] : [message],
  );
}

function userText(text: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
