import { isPlainObject, type JsonObject } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';

/** A call of the answer, as far as it has arrived. */
interface Call {
  /** Its place among the calls of the answer, from 0. */
  readonly place: number;
  readonly index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** The arguments so far. */
  text: string;
  /** What the provider wants back with the call. */
  extra: JsonObject | undefined;
}

/** One piece of a call, as the server sent it. */
interface Delta {
  /** Undefined for servers that do not number parallel calls. */
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  readonly extra: JsonObject | undefined;
}

/**
 * Puts the tool-call deltas of one answer in order. Providers identify the call that a delta continues in
 * different ways: by `index`, by `id` (on the first delta or on each), by both, or by neither; some send
 * every call with index 0, some a new id with every delta. A new call is recognised by its name.
 */
export class ToolCallDecoder {
  private readonly calls: Call[] = [];

  get count(): number {
    return this.calls.length;
  }

  /** Adds the event of a delta. Arguments are held back until the name of their call is known. */
  read(raw: unknown, events: ModelEvent[]): void {
    const delta = deltaOf(raw);
    if (!delta) return;
    const known = this.callOf(delta);
    if (!known) {
      this.begin(delta, events);
      return;
    }
    known.id ??= delta.id;
    known.extra ??= delta.extra;
    known.text += delta.text;
    if (known.name !== undefined) {
      if (delta.text !== '') events.push({ type: 'tool-call-delta', index: known.place, argumentsDelta: delta.text });
    } else if (delta.name !== undefined) {
      known.name = delta.name;
      events.push(opening(known, delta.name));
    }
  }

  /** Adds the calls that never got a name. */
  end(events: ModelEvent[]): void {
    for (const call of this.calls) {
      if (call.name === undefined) events.push(opening(call, undefined));
    }
  }

  /** The `extra_content` of the calls, by their places. Gemini refuses calls that come back without their signature. */
  get extras(): JsonObject | undefined {
    const extras = this.calls.flatMap(({ place, extra }) => (extra ? [[String(place), extra] as const] : []));
    return extras.length > 0 ? Object.fromEntries(extras) : undefined;
  }

  private begin(delta: Delta, events: ModelEvent[]): void {
    const call: Call = { place: this.calls.length, ...delta };
    this.calls.push(call);
    if (delta.name !== undefined) events.push(opening(call, delta.name));
  }

  /** The call that a delta continues; undefined when it begins one. */
  private callOf(delta: Delta): Call | undefined {
    const { index, id, name } = delta;
    const last = this.calls.at(-1);
    if (index !== undefined) {
      const call = this.calls.findLast((one) => one.index === index);
      if (call) return beginsAnother(call, delta) ? undefined : call;
      // The first delta of the call had another index.
      return id === undefined && name === undefined ? last : undefined;
    }
    if (id !== undefined) {
      const call = this.calls.findLast((one) => one.id === id);
      if (call) return beginsAnother(call, delta) ? undefined : call;
      return name === undefined ? last : undefined;
    }
    if (name === undefined || last?.name === undefined) return last;
    return name === last.name && !beginsAnother(last, delta) && last.text !== '' && !isComplete(last.text)
      ? last
      : undefined;
  }
}

/** A delta with a name for a call that has one is a further call when its id is new or its arguments begin anew. */
function beginsAnother(call: Call, { id, name, text }: Delta): boolean {
  if (name === undefined || call.name === undefined) return false;
  if (id !== undefined && call.id !== undefined && id !== call.id) return true;
  if (name !== call.name) return true;
  return text.trimStart().startsWith('{') && isComplete(call.text);
}

/** True for the text of a whole JSON object. */
function isComplete(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function opening({ place: index, id, text }: Call, name: string | undefined): ModelEvent {
  return {
    type: 'tool-call-delta',
    index,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    argumentsDelta: text,
  };
}

/** Undefined for entries that are not objects. */
function deltaOf(raw: unknown): Delta | undefined {
  if (!isPlainObject(raw)) return undefined;
  const called = isPlainObject(raw['function']) ? raw['function'] : {};
  return {
    index: indexOf(raw['index']),
    id: notBlank(raw['id']),
    name: notBlank(called['name']),
    text: argumentsText(called['arguments']),
    extra: isPlainObject(raw['extra_content']) ? (raw['extra_content'] as JsonObject) : undefined,
  };
}

/** Some servers send the index as text. */
function indexOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

/** A blank text counts as missing. */
function notBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Some servers send the arguments as an object. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isPlainObject(value) ? JSON.stringify(value) : '';
}
