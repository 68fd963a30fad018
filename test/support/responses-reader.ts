import type { ResponseObject } from '../../src/protocol/responses/response.types.js';
import { sseFrames } from './sse.js';

/** An event of a response's stream, parsed. */
export interface WireEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly output_index?: number;
  readonly item_id?: string;
  readonly content_index?: number;
  readonly summary_index?: number;
  readonly delta?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly arguments?: string;
  readonly item?: WireItem;
  readonly part?: Record<string, unknown>;
  readonly response?: ResponseObject;
  readonly [key: string]: unknown;
}

/** An item, as far as tests look at it. */
export interface WireItem {
  readonly id: string;
  readonly type: string;
  readonly status?: string;
  readonly name?: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly output?: string | null;
  readonly content?: readonly { type: string; text?: string; refusal?: string }[];
  readonly summary?: readonly { text: string }[];
  readonly [key: string]: unknown;
}

const ENDS = ['response.completed', 'response.failed', 'response.incomplete'];

/**
 * Reads a stream as a strict client does (contract responses, sections A6 and A7) and throws at the first
 * event that has no place: numbers with gaps, items out of order, parts that were not announced, deltas
 * that do not make up the whole, anything after the end.
 */
export class ResponsesReader {
  readonly events: WireEvent[] = [];
  private readonly items: { item: WireItem; done: WireItem | undefined; texts: Map<string, string> }[] = [];
  private id: string | undefined;
  ended: ResponseObject | undefined;

  /** @param strictTexts false: texts may differ from their deltas, for logs that replace earlier text */
  constructor(private readonly strictTexts = true) {}

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  read(event: WireEvent): void {
    const fail = (why: string): never => {
      throw new Error(`${why}: ${JSON.stringify(event)}`);
    };
    if (this.ended) fail('an event after the end');
    if (event.sequence_number !== this.events.length) fail(`expected number ${this.events.length}`);
    if (this.events.length === 0 && event.type !== 'response.created') fail('not created first');
    this.events.push(event);
    if (event.response) {
      this.id ??= event.response.id;
      if (event.response.id !== this.id) fail('another id');
    }
    if (ENDS.includes(event.type)) {
      const open = this.items.find(({ done }) => !done);
      if (open) fail(`item ${open.item.id} is open at the end`);
      this.ended = event.response;
    } else if (event.type === 'response.output_item.added') this.added(event, fail);
    else if (event.output_index !== undefined) this.within(event, fail);
  }

  private added(event: WireEvent, fail: (why: string) => never): void {
    const { item } = event;
    if (!item || event.output_index !== this.items.length) fail('an item out of order');
    else if (this.items.some((one) => one.item.id === item.id)) fail('an id used twice');
    else this.items.push({ item, done: undefined, texts: new Map() });
  }

  private within(event: WireEvent, fail: (why: string) => never): void {
    const one = this.items[event.output_index ?? -1];
    if (!one) return fail('an unknown item');
    if (one.done) return fail('an item that is over');
    if (event.item_id !== undefined && event.item_id !== one.item.id) return fail('another item id');
    const key = String(event.content_index ?? event.summary_index ?? '');
    if (event.type === 'response.output_item.done') {
      if (event.item?.id !== one.item.id || event.item.type !== one.item.type) fail('another item at the end');
      one.done = event.item;
    } else if (event.type.endsWith('part.added')) one.texts.set(key, '');
    else if (event.type.endsWith('.delta')) {
      if (key !== '' && !one.texts.has(key)) fail('a part that was not announced');
      if (event.delta === '') fail('an empty delta');
      one.texts.set(key, (one.texts.get(key) ?? '') + (event.delta ?? ''));
    } else if (event.type.endsWith('.done') && !event.type.endsWith('part.done')) {
      const whole = event.text ?? event.refusal ?? event.arguments;
      if (this.strictTexts && whole !== (one.texts.get(key) ?? '')) fail(`deltas make ${one.texts.get(key)}`);
    }
  }
}

/** Parses a stream of the Responses API; checks the name of each event, and that nothing follows `[DONE]`. */
export function parseResponseFrames(text: string): { events: WireEvent[]; done: boolean } {
  const frames = sseFrames(text);
  const done = frames.at(-1)?.data === '[DONE]';
  const events = (done ? frames.slice(0, -1) : frames).map(({ event: name, data, raw }) => {
    const event = JSON.parse(data) as WireEvent;
    if (raw !== `event: ${event.type}\ndata: ${data}`) throw new Error(`The frame ${name} holds ${event.type}`);
    return event;
  });
  return { events, done };
}
