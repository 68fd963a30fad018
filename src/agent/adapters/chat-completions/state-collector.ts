import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { type ProviderCall, type ProviderReasoning, type ProviderState, replayOf } from './provider-state.js';

/** The most characters of thoughts that are kept as text, and of all other state as JSON. */
const MOST_TEXT = 256 * 1024;
const MOST_JSON = 1024 * 1024;

/** The members of a piece that are text and come in pieces themselves. */
const GROWING: ReadonlySet<string> = new Set(['text', 'thinking', 'summary', 'reasoning', 'content']);

/** Puts the state of one answer together, in the order and in the form in which it comes. */
export class StateCollector {
  private field = '';
  private readonly thoughts: string[] = [];
  private textLength = 0;
  private readonly parts: JsonObject[] = [];
  private readonly details: JsonObject[] = [];
  private readonly blocks: JsonObject[] = [];
  private extra: JsonObject | undefined;

  /** True if nothing was collected. */
  get isEmpty(): boolean {
    return this.isWithoutThoughts && this.extra === undefined;
  }

  /** True if no thoughts were collected, in any form. */
  get isWithoutThoughts(): boolean {
    return this.field === '' && this.details.length + this.blocks.length === 0;
  }

  /** The thoughts that have a field of their own, so far. */
  get text(): string {
    return this.thoughts.join('');
  }

  /** Thoughts that came in this field. The first name is kept: servers do not change it. */
  think(field: string, text: string): void {
    if (this.field === '') this.field = field;
    if (this.textLength >= MOST_TEXT) return;
    this.thoughts.push(text);
    this.textLength += text.length;
  }

  /** A part of the content with thoughts. @param isWhole false if a later part may continue it */
  addPart(part: JsonObject, text: string, isWhole: boolean): void {
    this.think('content-parts', text);
    const last = this.parts.at(-1);
    if (!isWhole && last && isSameBlock(last, part)) grow(last, part);
    else this.parts.push(copyOf(part));
  }

  /** The next items of `reasoning_details`. @returns their texts joined */
  addDetails(items: unknown, isWhole: boolean): string {
    return this.add(this.details, items, isWhole, isSameDetail);
  }

  /** The next items of `thinking_blocks`. @returns their texts joined */
  addBlocks(items: unknown, isWhole: boolean): string {
    return this.add(this.blocks, items, isWhole, isSameBlock);
  }

  /** The `extra_content` of the message. */
  addExtra(extra: JsonObject): void {
    const kept = Object.entries(extra).filter(([, value]) => !isThoughtMark(value));
    if (kept.length > 0) this.extra = { ...this.extra, ...Object.fromEntries(kept) };
  }

  /**
   * The `replay` of the answer; undefined if there is nothing to keep. What is too large is left out; thoughts that are
   * only text are cut.
   *
   * @param block the beginning of the content with its tags, if the thoughts came between tags
   */
  replay(
    origin: string,
    calls: Readonly<Record<string, ProviderCall>> | undefined,
    block: string,
  ): JsonObject | undefined {
    if (this.isEmpty && calls === undefined) return undefined;
    const { details, blocks: thinkingBlocks, extra } = this;
    const parts: Json[] = block === '' ? this.parts : [block];
    const fits = JSON.stringify([details, thinkingBlocks, parts, calls, extra]).length <= MOST_JSON;
    const state: ProviderState = {
      origin,
      ...(this.field === '' ? {} : { reasoning: this.reasoning(fits ? parts : []) }),
      ...(fits && details.length > 0 && { details }),
      ...(fits && thinkingBlocks.length > 0 && { thinkingBlocks }),
      ...(fits && extra && { extra }),
      ...(fits && calls && { calls }),
    };
    return replayOf(state);
  }

  private reasoning(parts: Json[]): ProviderReasoning {
    const text = cut(this.text, MOST_TEXT);
    return { field: this.field, text, ...(parts.length > 0 && { parts }) };
  }

  private add(
    to: JsonObject[],
    items: unknown,
    isWhole: boolean,
    isSame: (one: JsonObject, next: JsonObject) => boolean,
  ): string {
    if (!Array.isArray(items)) return '';
    let texts = '';
    for (const item of items) {
      if (!isPlainObject(item)) continue;
      const next = item as JsonObject;
      texts += thoughtIn(next);
      const known = isWhole ? undefined : to.findLast((one) => isSame(one, next));
      if (known && (known === to.at(-1) || known['index'] !== undefined)) grow(known, next);
      else to.push(copyOf(next));
    }
    return texts;
  }
}

/** Gemini marks its thoughts so, in addition to the tags around them. */
function isThoughtMark(value: Json): boolean {
  return isPlainObject(value) && Object.keys(value).every((key) => key === 'thought');
}

/** The thoughts in an item or a part: a text, or a list of texts. Encrypted ones have none. */
export function thoughtIn(item: Readonly<Record<string, unknown>>): string {
  for (const key of GROWING) {
    const value = item[key];
    if (typeof value === 'string' && value !== '') return value;
    if (Array.isArray(value)) return value.map((one) => (isPlainObject(one) ? thoughtIn(one) : '')).join('');
  }
  return '';
}

/** True if a piece continues an item: both have the index, or no index, and are texts of one type. */
function isSameDetail(one: JsonObject, next: JsonObject): boolean {
  if (one['type'] !== next['type'] || one['index'] !== next['index']) return false;
  if (one['data'] !== undefined || next['data'] !== undefined) return false;
  return next['index'] !== undefined || one['id'] === next['id'] || !next['id'] || !one['id'];
}

/** True if a piece continues a block: nothing follows a signature, and what is encrypted is whole. */
function isSameBlock(one: JsonObject, next: JsonObject): boolean {
  return one['type'] === next['type'] && !one['signature'] && one['data'] === undefined && one['closed'] !== true;
}

/** Appends the texts of a piece to an item; its other members replace those of the item, unless they are empty. */
function grow(item: JsonObject, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = item[key];
    if (GROWING.has(key) && typeof before === 'string' && typeof value === 'string') item[key] = before + value;
    else if (GROWING.has(key) && Array.isArray(before) && Array.isArray(value)) growList(before, value);
    else if (value !== null && value !== '' && key !== '__proto__') item[key] = value;
  }
}

/** The first item of a list may continue the last one of the list before it. */
function growList(list: Json[], pieces: readonly Json[]): void {
  for (const piece of pieces) {
    const last = list.at(-1);
    if (isPlainObject(last) && isPlainObject(piece) && isSameBlock(last, piece)) grow(last, piece);
    else list.push(piece);
  }
}

/** Items grow: those of the chunk do not belong to this object alone. */
function copyOf(item: JsonObject): JsonObject {
  return { ...item };
}

/** The beginning of a text, without half of a character at its end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
}
