import type { ModelMessage, ModelPart, ModelToolCall } from '../ports/model-client.js';

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
export function withPairedResults(messages: readonly ModelMessage[], missing: string): readonly ModelMessage[] {
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
  const carried: readonly ModelMessage[] = images.length === 0 ? [] : [{ role: 'user', content: captioned(images) }];
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
