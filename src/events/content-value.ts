import { type Json, type JsonObject } from '../common/index.js';
import { GrowingText } from '../runtime/index.js';
import { cloneJson, mergeInto } from './builder/merge.js';
import { CONTENT_TYPES, type Content, type ContentType, type RunStatus } from './agent-objects.js';

type Loose<C> = C extends Content ? Pick<C, 'type'> & Partial<Omit<C, 'type'>> : never;

/** A content as an author passes it: the type and the value fields. The other fields are added. */
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

/** Names do not arrive in deltas as payloads do: a later one replaces the value. */
const NAMING_FIELDS: ReadonlySet<string> = new Set(['format', 'file_id', 'filename']);

/** True for the seven content types. */
export function isContentType(type: unknown): type is ContentType {
  return (CONTENT_TYPES as readonly unknown[]).includes(type);
}

/** The value fields of a content. Absent ones are null. */
export function fieldsOf(content: ContentInput): ContentFields {
  const source = content as Readonly<Record<string, Json | undefined>>;
  return Object.fromEntries(VALUE_FIELDS[content.type].map((field) => [field, source[field] ?? null]));
}

/** Makes a content from its common fields and its value fields. */
export function makeContent(
  head: { type: ContentType; index: number; msgId: string; status: RunStatus; delta: boolean },
  fields: ContentFields,
): Content {
  // The type and the fields come from the same ContentValue, which TypeScript cannot verify.
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
 * The value of a content slot while it grows, from deltas and whole values. Appending a delta costs no more
 * than its length; the whole value is assembled when it is read.
 */
export class ContentValue {
  /** Of a text or refusal. */
  private readonly text = new GrowingText();
  private fields: JsonObject = {};

  constructor(readonly type: ContentType) {
    this.replace({});
  }

  /** Appends a delta of a text or refusal. */
  appendText(piece: string): void {
    this.text.append(piece);
  }

  /** Adds a delta: text and payloads are appended, `data` is merged, names replace the value, null changes nothing. */
  append(piece: ContentFields): void {
    if (this.type === 'text' || this.type === 'refusal') {
      const text = piece[this.type];
      if (typeof text === 'string') this.text.append(text);
    } else if (this.type === 'data') {
      mergeInto(asObject(this.fields['data']), asObject(piece['data']));
    } else {
      this.appendMedia(piece);
    }
  }

  /** Replaces the whole value. Absent fields become empty. */
  replace(whole: ContentFields): void {
    if (this.type === 'text' || this.type === 'refusal') {
      const text = whole[this.type];
      this.text.set(typeof text === 'string' ? text : '');
    } else if (this.type === 'data') {
      this.fields = { data: cloneJson(asObject(whole['data'])) };
    } else {
      this.fields = Object.fromEntries(VALUE_FIELDS[this.type].map((field) => [field, whole[field] ?? null]));
    }
  }

  /** The whole value so far, as a new object. */
  whole(): ContentFields {
    if (this.type !== 'text' && this.type !== 'refusal') return cloneJson(this.fields);
    return { [this.type]: this.text.value };
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
