import type { Json, JsonObject } from '../common/index.js';
import { cloneJson, mergeInto } from './builder/merge.js';
import { CONTENT_TYPES, type Content, type ContentType, type RunStatus } from './vocabulary.js';

type Loose<C> = C extends Content ? Pick<C, 'type'> & Partial<Omit<C, 'type'>> : never;

/** A content as an author gives it: its type and its value fields; the rest is filled in. */
export type ContentInput = Loose<Content>;

/** The value fields of a content without its head: `{text}`, `{data}`, `{file_url, …}`. */
export type ContentFields = Readonly<JsonObject>;

/** The value fields of each content type, in the order of the wire. */
export const VALUE_FIELDS = {
  text: ['text'],
  image: ['image_url'],
  data: ['data'],
  audio: ['data', 'format'],
  file: ['file_url', 'file_id', 'filename', 'file_data'],
  refusal: ['refusal'],
  video: ['video_url'],
} as const satisfies Record<ContentType, readonly string[]>;

/** Names, unlike payloads, do not come in pieces: a later one replaces. */
const NAMING_FIELDS: ReadonlySet<string> = new Set(['format', 'file_id', 'filename']);

/** True for the seven content types. */
export function isContentType(type: unknown): type is ContentType {
  return (CONTENT_TYPES as readonly unknown[]).includes(type);
}

/** The value fields of a content, absent ones as null. */
export function fieldsOf(content: ContentInput): ContentFields {
  const source = content as Readonly<Record<string, Json | undefined>>;
  return Object.fromEntries(VALUE_FIELDS[content.type].map((field) => [field, source[field] ?? null]));
}

/** Puts head and value fields together. */
export function makeContent(
  head: { type: ContentType; index: number; msgId: string; status: RunStatus; delta: boolean },
  fields: ContentFields,
): Content {
  // The type and its fields come from one ContentValue, which TypeScript cannot see.
  return {
    object: 'content',
    status: head.status,
    error: null,
    type: head.type,
    index: head.index,
    delta: head.delta,
    msg_id: head.msgId,
    ...fields,
  } as unknown as Content;
}

/**
 * The value of one content slot while it grows: what pieces and whole values so far make together.
 * Adding a piece costs no more than the piece; the whole is put together when it is asked for.
 */
export class ContentValue {
  private pieces: string[] = [];
  private fields: JsonObject = {};

  constructor(readonly type: ContentType) {
    this.replace({});
  }

  /** Appends a piece of a text or refusal. */
  appendText(piece: string): void {
    this.pieces.push(piece);
  }

  /** Adds a delta: text and payloads append, `data` merges, names replace; null adds nothing. */
  append(piece: ContentFields): void {
    if (this.type === 'text' || this.type === 'refusal') {
      const text = piece[this.type];
      if (typeof text === 'string') this.pieces.push(text);
    } else if (this.type === 'data') {
      mergeInto(asObject(this.fields['data']), asObject(piece['data']));
    } else {
      this.appendMedia(piece);
    }
  }

  /** Replaces the whole value; absent fields become empty. */
  replace(whole: ContentFields): void {
    if (this.type === 'text' || this.type === 'refusal') {
      const text = whole[this.type];
      this.pieces = typeof text === 'string' ? [text] : [];
    } else if (this.type === 'data') {
      this.fields = { data: cloneJson(asObject(whole['data'])) };
    } else {
      this.fields = Object.fromEntries(VALUE_FIELDS[this.type].map((field) => [field, whole[field] ?? null]));
    }
  }

  /** The whole value so far, as an object of its own. */
  whole(): ContentFields {
    if (this.type !== 'text' && this.type !== 'refusal') return cloneJson(this.fields);
    if (this.pieces.length > 1) this.pieces = [this.pieces.join('')];
    return { [this.type]: this.pieces[0] ?? '' };
  }

  private appendMedia(piece: ContentFields): void {
    for (const field of VALUE_FIELDS[this.type]) {
      const addition = piece[field];
      if (typeof addition !== 'string') continue;
      const present = this.fields[field];
      const appends = typeof present === 'string' && !NAMING_FIELDS.has(field);
      this.fields[field] = appends ? present + addition : addition;
    }
  }
}

function asObject(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}
