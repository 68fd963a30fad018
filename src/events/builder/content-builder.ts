import { deepFreeze, type Json, type JsonObject } from '../../common/index.js';
import { ContentValue, fieldsOf, makeContent, type ContentFields } from '../content-value.js';
import type { BuilderEvent } from '../agent-event.js';
import {
  isTerminalStatus,
  type Content,
  type ContentType,
  type DataContent,
  type FileContent,
  type RefusalContent,
  type TerminalStatus,
  type TextContent,
} from '../agent-objects.js';
import { BuilderError } from './builder-error.js';
import { cloneJson, put } from './merge.js';

/** What a content uses of its message. */
export interface ContentOwner {
  readonly msgId: string;
  /**
   * Prepares the first event of slot `index`: announces response and message, opens lower slots. Throws,
   * without recording anything, if the message is closed.
   */
  open(index: number): void;
  record(event: BuilderEvent): void;
}

/** The value fields of a file content. Absent ones are null. */
export type FileFields = Partial<Pick<FileContent, 'file_url' | 'file_id' | 'filename' | 'file_data'>>;

/**
 * Builds one content slot of a message. Made by `MessageBuilder.createContentBuilder`.
 *
 * Every call records a frozen event and returns it (contract agent-api, section b). `add…Delta` makes an event
 * with the delta (`delta: true`); `set…` and `updateData` make one with the whole value (`delta: false`). A set
 * replaces the value, and later deltas append to it, so that folding the events always gives the value.
 *
 * The first event of a slot is a delta, because clients need it (contract agent-api, section 0, rule 8). If a
 * set comes first, an empty delta is recorded before it, except for `data` in slot 0.
 *
 * @throws BuilderError GRAMMAR on any write after the content was closed, WRONG_CONTENT_TYPE on a
 *   setter of another type
 */
export class ContentBuilder {
  private readonly value: ContentValue;
  private opened = false;
  private closed: Content | undefined;

  /** @internal Called by MessageBuilder. `resume` continues a content that was recorded before. */
  constructor(
    private readonly owner: ContentOwner,
    readonly type: ContentType,
    /** The slot in the message, from 0. */
    readonly index: number,
    resume?: Content,
  ) {
    this.value = new ContentValue(type);
    if (!resume) return;
    this.opened = true;
    this.value.replace(fieldsOf(resume));
    if (isTerminalStatus(resume.status)) this.closed = this.make(resume.status, this.value.whole());
  }

  /** True once an event of this slot has been recorded. */
  get isOpened(): boolean {
    return this.opened;
  }

  /** True once the slot is closed. */
  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /** Appends text. Null counts as an empty text. */
  addTextDelta(text: string | null | undefined): TextContent {
    this.begin('addTextDelta', 'text');
    const piece = text ?? '';
    const event: TextContent = Object.freeze({
      object: 'content',
      status: 'in_progress',
      error: null,
      type: 'text',
      index: this.index,
      delta: true,
      msg_id: this.owner.msgId,
      text: piece,
    });
    this.owner.record(event);
    this.opened = true;
    this.value.appendText(piece);
    return event;
  }

  /** The same as `addTextDelta`. */
  addDelta(text: string | null | undefined): TextContent {
    return this.addTextDelta(text);
  }

  /** Appends to a refusal. Null counts as an empty text. */
  addRefusalDelta(refusal: string | null | undefined): RefusalContent {
    this.begin('addRefusalDelta', 'refusal');
    return this.append({ refusal: refusal ?? '' }) as RefusalContent;
  }

  /** Merges an object into the data, by the merge rule of contract agent-api, section b. */
  addDataDelta(data: Readonly<JsonObject>): DataContent {
    this.begin('addDataDelta', 'data');
    return this.append({ data: cloneJson<JsonObject>(data) }) as DataContent;
  }

  setText(text: string): Content {
    return this.set('setText', 'text', { text });
  }

  setRefusal(refusal: string): Content {
    return this.set('setRefusal', 'refusal', { refusal });
  }

  /** @param url a URL, possibly a `data:` URL */
  setImageUrl(url: string): Content {
    return this.set('setImageUrl', 'image', { image_url: url });
  }

  setData(data: Readonly<JsonObject>): Content {
    return this.set('setData', 'data', { data });
  }

  /** Sets one key of the data. */
  updateData(key: string, value: Json): Content {
    this.require('updateData', 'data');
    const { data } = this.value.whole();
    const whole = data as JsonObject;
    put(whole, key, value);
    return this.set('updateData', 'data', { data: whole });
  }

  /** @param data base64 or a `data:` URL @param format for example `wav` */
  setAudio(data: string, format: string | null = null): Content {
    return this.set('setAudio', 'audio', { data, format });
  }

  setFile(file: FileFields): Content {
    return this.set('setFile', 'file', fieldsOf({ type: 'file', ...file }));
  }

  /** @param url a URL, possibly a `data:` URL */
  setVideoUrl(url: string): Content {
    return this.set('setVideoUrl', 'video', { video_url: url });
  }

  /**
   * Closes the slot and returns an event with the whole value. A repeated call returns the same event and records
   * nothing.
   */
  complete(): Content {
    return this.close('completed');
  }

  /** Closes the slot as incomplete with its partial value. */
  incomplete(): Content {
    return this.close('incomplete');
  }

  /** The content in its current state, with its whole value. */
  getContentData(): Content {
    return this.closed ?? this.make(this.opened ? 'in_progress' : 'created', this.value.whole());
  }

  /** @internal Appends a delta or sets the value. `fields` are those of this slot's type. */
  write(method: string, fields: ContentFields, delta: boolean): Content {
    if (!delta) return this.set(method, this.type, fields);
    this.begin(method, this.type);
    return this.append(cloneJson<JsonObject>(fields));
  }

  /** @internal Closes the slot with any terminal status. Idempotent per status. */
  close(status: TerminalStatus): Content {
    if (this.closed) {
      if (this.closed.status === status) return this.closed;
      throw new BuilderError('GRAMMAR', `${this.label()} is already ${this.closed.status}`);
    }
    this.ensureOpened();
    const event = this.make(status, this.value.whole());
    this.owner.record(event);
    this.closed = event;
    return event;
  }

  /** @internal Records an empty delta if nothing has been recorded yet. */
  ensureOpened(): void {
    if (this.opened) return;
    this.owner.open(this.index);
    this.append(new ContentValue(this.type).whole());
  }

  /** @internal Ends the builder because its response has ended or was reset. Records nothing. */
  abandon(): void {
    this.closed ??= this.make('canceled', this.value.whole());
  }

  private append(fields: ContentFields): Content {
    const event = this.make('in_progress', fields, true);
    this.owner.record(event);
    this.opened = true;
    this.value.append(fields);
    return event;
  }

  private set(method: string, type: ContentType, fields: ContentFields): Content {
    this.require(method, type);
    this.ensureWritable(method);
    const value = new ContentValue(type);
    value.replace(fields);
    if (type === 'data' && this.index === 0 && !this.opened) this.owner.open(0);
    else this.ensureOpened();
    const event = this.make('in_progress', value.whole());
    this.owner.record(event);
    this.opened = true;
    this.value.replace(fieldsOf(event));
    return event;
  }

  private make(status: Content['status'] & string, fields: ContentFields, delta = false): Content {
    return deepFreeze(
      makeContent({ type: this.type, index: this.index, msgId: this.owner.msgId, status, delta }, fields),
    );
  }

  private begin(method: string, type: ContentType): void {
    this.require(method, type);
    this.ensureWritable(method);
    if (!this.opened) this.owner.open(this.index);
  }

  private require(method: string, type: ContentType): void {
    if (this.type !== type)
      throw new BuilderError('WRONG_CONTENT_TYPE', `${method} only supported for ${type} content`);
  }

  private ensureWritable(method: string): void {
    if (!this.closed) return;
    throw new BuilderError('GRAMMAR', `${method} after ${this.label()} is ${this.closed.status}`);
  }

  private label(): string {
    return `content ${this.index} of message ${this.owner.msgId}`;
  }
}
