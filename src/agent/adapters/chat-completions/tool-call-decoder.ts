import { type JsonObject, ObjectScan } from '../../../common/index.js';
import type { ModelEvent } from '../../ports/model-client.js';
import type { ProviderCall } from './provider-state.js';
import { deltaOf, type ToolCallDelta } from './tool-call-delta.js';

/** A call of the answer, as far as it has arrived. */
interface Call {
  /** Its place among the calls of the answer, from 0; undefined as long as it has no id, name and arguments. */
  place: number | undefined;
  index: number | undefined;
  /** As the server sends it. */
  serverId: string | undefined;
  /** That of its events. */
  id: string | undefined;
  /** As far as it has arrived; empty at first. */
  name: string;
  /** True once its first event was added: its name can no longer change. */
  isOpen: boolean;
  /** Arguments for which no event was added, because they may be the text `null`, or an empty object before others. */
  held: string;
  /** All arguments that have arrived. */
  written: string;
  /** True once the arguments are known to be more than `null` or an empty object. */
  hasArguments: boolean;
  /** Arguments that `scan` has not read. */
  unscanned: string;
  /** Made when it is first asked whether the arguments are complete. */
  scan: ObjectScan | undefined;
  /** What the server wants back with the call. */
  extra: JsonObject | undefined;
}

const NO_NAMES: readonly string[] = [];
const NO_IDS: ReadonlySet<string> = new Set();
/** What some models write for no arguments. */
const NULL = 'null';
/** Where the name of a call ends if the server has not taken the tokens of gpt-oss off. */
const TOKEN = '<|';

/**
 * Puts the tool-call deltas of one answer in order. Servers identify the call that a delta continues in
 * different ways: by `index`, by `id` (on the first delta or on each), by both, or by neither; some send
 * every call with index 0, some a new id with every delta. A new call is recognised by its name. What never gets
 * an id, a name or arguments is no call. (contract model-servers, section 2.2)
 */
export class ToolCallDecoder {
  private readonly calls: Call[] = [];
  /** The ids of the calls. Made with the first one: most answers have none. */
  private ids: Set<string> | undefined;
  private placed = 0;

  /**
   * @param toolNames the names of the tools that the model may call: a name that is the beginning of one may come in
   *   pieces
   * @param usedIds the ids of earlier calls: a call that has one of them gets another one
   */
  constructor(
    private readonly toolNames: readonly string[] = NO_NAMES,
    private readonly usedIds: ReadonlySet<string> = NO_IDS,
  ) {}

  /** How many calls there are. */
  get count(): number {
    return this.placed;
  }

  /** True if there were deltas, even if there is no call. */
  get hasDeltas(): boolean {
    return this.calls.length > 0;
  }

  /** True if every call has its name and its whole arguments. */
  get isWhole(): boolean {
    return this.calls.every((call) => call.place === undefined || (call.name !== '' && isComplete(call)));
  }

  /**
   * Adds the events of a delta. Arguments are held back until the name of their call is known.
   *
   * @param exact the text of arguments that came as an object
   */
  read(raw: unknown, events: ModelEvent[], exact?: string): void {
    const delta = deltaOf(raw, exact);
    if (!delta) return;
    const continued = this.callOf(delta);
    // Several proxies send each call whole once more at the end.
    if (!continued && this.isRepeated(delta)) return;
    const call = continued ?? this.begin(delta, events);
    if (call.place === undefined) call.index ??= delta.index;
    if (delta.id !== undefined) this.identify(call, delta.id);
    if (delta.extra) call.extra = { ...call.extra, ...delta.extra };
    this.place(call, delta);
    if (delta.name !== undefined) this.name(call, delta.name);
    this.append(call, delta.text, events);
  }

  /**
   * Adds what was held back: calls without arguments get `{}`, those that never got a name are opened.
   *
   * @param isCut true if a limit has cut the answer: then missing arguments stay missing
   */
  end(events: ModelEvent[], isCut = false): void {
    for (const call of this.calls) {
      if (call.place === undefined) continue;
      if (!call.hasArguments && !isCut) call.held = '{}';
      this.emit(call, events, true);
    }
  }

  /** What the server wants back with the calls, by their ids; undefined if nothing. */
  get kept(): Readonly<Record<string, ProviderCall>> | undefined {
    const kept = this.calls.flatMap(({ place, id, serverId, extra }) => {
      if (place === undefined || (!extra && id === serverId)) return [];
      const call: ProviderCall = {
        place,
        ...(id !== serverId && serverId && { id: serverId }),
        ...(extra && { extra }),
      };
      return [[id ?? String(place), call] as const];
    });
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  }

  private begin({ index }: ToolCallDelta, events: ModelEvent[]): Call {
    // Their names are complete, and the order of the calls is that of their first events.
    for (const call of this.calls) {
      if (call.isOpen || call.name === '') continue;
      call.hasArguments ||= isEmptyObject(call.held);
      this.open(call, events);
    }
    const call: Call = {
      place: undefined,
      index,
      serverId: undefined,
      id: undefined,
      name: '',
      isOpen: false,
      held: '',
      written: '',
      hasArguments: false,
      unscanned: '',
      scan: undefined,
      extra: undefined,
    };
    this.calls.push(call);
    return call;
  }

  /** Gives a call its id: another one than the server's if an earlier call has that. */
  private identify(call: Call, id: string): void {
    if (call.serverId !== undefined) return;
    call.serverId = id;
    let own = id;
    this.ids ??= new Set();
    for (let count = 2; this.ids.has(own) || this.usedIds.has(own); count += 1) own = `${id}_${count}`;
    this.ids.add(own);
    call.id = own;
  }

  /** A call gets its place with the first delta that is not blank. */
  private place(call: Call, { id, name, text }: ToolCallDelta): void {
    if (call.place !== undefined || (id === undefined && name === undefined && text.trim() === '')) return;
    call.place = this.placed;
    this.placed += 1;
  }

  /** A name that comes again is the same; otherwise it is the next piece. */
  private name(call: Call, name: string): void {
    if (!call.isOpen && call.name !== name && !call.name.includes(TOKEN)) call.name += name;
  }

  private append(call: Call, text: string, events: ModelEvent[]): void {
    call.written += text;
    if (call.isOpen && call.hasArguments) {
      if (text === '') return;
      call.unscanned += text;
      events.push({ type: 'tool-call-delta', index: call.place ?? 0, argumentsDelta: text });
      return;
    }
    if (text !== '') {
      // Several proxies begin with an empty object and send the arguments after it.
      if (isEmptyObject(call.held) && text.trimStart().startsWith('{')) {
        call.written = text;
        call.scan = undefined;
        call.held = call.unscanned = '';
      }
      call.unscanned += text;
      call.held += text;
      call.hasArguments ||= !NULL.startsWith(call.held.trim()) && !isEmptyObject(call.held);
    }
    if (call.name === '' || call.place === undefined) return;
    if (!call.isOpen && !call.hasArguments && (isEmptyObject(call.held) || this.mayGrow(call.name))) return;
    this.emit(call, events, false);
  }

  /** Adds the event of what is held, unless it must wait. */
  private emit(call: Call, events: ModelEvent[], isLast: boolean): void {
    if (!call.isOpen) this.open(call, events, isLast);
    else if (call.held !== '' && (call.hasArguments || isLast)) {
      events.push({ type: 'tool-call-delta', index: call.place ?? 0, argumentsDelta: call.held });
      call.held = '';
    }
  }

  /** Adds the first event of a call. */
  private open(call: Call, events: ModelEvent[], isLast = false): void {
    const name = call.name.split(TOKEN, 1)[0] ?? '';
    const mayShow = call.hasArguments || isLast;
    events.push({
      type: 'tool-call-delta',
      index: call.place ?? 0,
      ...(call.id === undefined ? {} : { id: call.id }),
      ...(name === '' ? {} : { name }),
      argumentsDelta: mayShow ? call.held : '',
    });
    if (mayShow) call.held = '';
    call.isOpen = true;
  }

  /** True if the next delta may bring more of this name. */
  private mayGrow(name: string): boolean {
    return name.endsWith('<') || this.toolNames.some((tool) => tool.length > name.length && tool.startsWith(name));
  }

  /** The call that a delta continues; undefined when it begins one. */
  private callOf(delta: ToolCallDelta): Call | undefined {
    const { index, id, name } = delta;
    const last = this.calls.at(-1);
    // The first delta was empty.
    if (last && last.place === undefined && last.index === undefined) return last;
    if (index !== undefined) {
      const call = this.calls.findLast((one) => one.index === index);
      if (call) return this.beginsAnother(call, delta) ? undefined : call;
      // The first delta of the call had another index.
      return id === undefined && name === undefined ? last : undefined;
    }
    if (id !== undefined) {
      const call = this.calls.findLast((one) => one.serverId === id);
      if (call) return this.beginsAnother(call, delta) ? undefined : call;
      return name === undefined ? last : undefined;
    }
    if (name === undefined || last === undefined || last.name === '' || this.continues(last, name)) return last;
    return name === last.name && hasText(last) && !isComplete(last) ? last : undefined;
  }

  /** True for a call that is there, with the same id, name and arguments. */
  private isRepeated({ id, name, text }: ToolCallDelta): boolean {
    if (id === undefined || id === '') return false;
    return this.calls.some((one) => one.serverId === id && one.name === name && one.written === text);
  }

  /** A delta with a name for a call that has one is a further call when its id is new or its arguments begin anew. */
  private beginsAnother(call: Call, { id, name, text }: ToolCallDelta): boolean {
    if (name === undefined || call.name === '') return false;
    if (id !== undefined && call.serverId !== undefined && id !== call.serverId) return true;
    if (this.continues(call, name)) return false;
    if (name !== call.name) return true;
    return text.trimStart().startsWith('{') && isComplete(call);
  }

  /** True if a name is the next piece of that of a call, or belongs to the tokens behind it. */
  private continues(call: Call, piece: string): boolean {
    if (hasText(call)) return false;
    const { name } = call;
    if (name.includes(TOKEN) || (name + piece).indexOf(TOKEN) === name.length || name.endsWith('<')) return true;
    return !call.isOpen && this.toolNames.some((tool) => tool.startsWith(name + piece));
  }
}

function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*\}\s*$/.test(text);
}

/** True if a part of the arguments has arrived. */
function hasText({ unscanned, scan }: Call): boolean {
  return unscanned !== '' || scan !== undefined;
}

/** True if the arguments of a call are a whole JSON object. */
function isComplete(call: Call): boolean {
  call.scan ??= new ObjectScan();
  call.scan.add(call.unscanned);
  call.unscanned = '';
  return call.scan.isWhole;
}
