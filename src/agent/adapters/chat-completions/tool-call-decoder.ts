import { isPlainObject, type JsonObject, ObjectScan } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';

/** A call of the answer, as far as it has arrived. */
interface Call {
  /** Its place among the calls of the answer, from 0; undefined as long as it has no id, name and arguments. */
  place: number | undefined;
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** The arguments so far, without those that `scan` has read. */
  text: string;
  /** Made when it is first asked whether the arguments are complete. */
  scan: ObjectScan | undefined;
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
 * every call with index 0, some a new id with every delta. A new call is recognised by its name. What never gets
 * an id, a name or arguments is no call.
 */
export class ToolCallDecoder {
  private readonly calls: Call[] = [];
  private placed = 0;

  /** How many calls there are. */
  get count(): number {
    return this.placed;
  }

  /** True if there were deltas, even if there is no call. */
  get hasDeltas(): boolean {
    return this.calls.length > 0;
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
    if (known.place === undefined) known.index ??= delta.index;
    known.id ??= delta.id;
    known.extra ??= delta.extra;
    known.text += delta.text;
    const place = this.placeOf(known, delta);
    if (place === undefined) return;
    if (known.name !== undefined) {
      if (delta.text !== '') events.push({ type: 'tool-call-delta', index: place, argumentsDelta: delta.text });
    } else if (delta.name !== undefined) {
      known.name = delta.name;
      events.push(opening(known, place));
    }
  }

  /** Adds the calls that never got a name. */
  end(events: ModelEvent[]): void {
    for (const call of this.calls) {
      if (call.place !== undefined && call.name === undefined) events.push(opening(call, call.place));
    }
  }

  /** The `extra_content` of the calls, by their places. Gemini refuses calls that come back without their signature. */
  get extras(): JsonObject | undefined {
    const extras = this.calls.flatMap(({ place, extra }) =>
      place !== undefined && extra ? [[String(place), extra] as const] : [],
    );
    return extras.length > 0 ? Object.fromEntries(extras) : undefined;
  }

  private begin(delta: Delta, events: ModelEvent[]): void {
    const call: Call = { ...delta, place: undefined, scan: undefined };
    this.calls.push(call);
    const place = this.placeOf(call, delta);
    if (place !== undefined && call.name !== undefined) events.push(opening(call, place));
  }

  /** The place of a call, which it gets with the first delta that is not blank. */
  private placeOf(call: Call, { id, name, text }: Delta): number | undefined {
    if (call.place === undefined && (id !== undefined || name !== undefined || text.trim() !== '')) {
      call.place = this.placed;
      this.placed += 1;
    }
    return call.place;
  }

  /** The call that a delta continues; undefined when it begins one. */
  private callOf(delta: Delta): Call | undefined {
    const { index, id, name } = delta;
    const last = this.calls.at(-1);
    // The first delta was empty.
    if (last && last.place === undefined && last.index === undefined) return last;
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
    return name === last.name && hasArguments(last) && !isComplete(last) ? last : undefined;
  }
}

/** A delta with a name for a call that has one is a further call when its id is new or its arguments begin anew. */
function beginsAnother(call: Call, { id, name, text }: Delta): boolean {
  if (name === undefined || call.name === undefined) return false;
  if (id !== undefined && call.id !== undefined && id !== call.id) return true;
  if (name !== call.name) return true;
  return text.trimStart().startsWith('{') && isComplete(call);
}

/** True if a part of the arguments has arrived. */
function hasArguments({ text, scan }: Call): boolean {
  return text !== '' || scan !== undefined;
}

/** True if the arguments of a call are a whole JSON object. Those of a call that has its name are not needed afterwards. */
function isComplete(call: Call): boolean {
  call.scan ??= new ObjectScan();
  call.scan.add(call.text);
  call.text = '';
  return call.scan.isWhole;
}

/** The first event of a call. */
function opening({ id, name, text }: Call, index: number): ModelEvent {
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
