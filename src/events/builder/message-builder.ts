import { deepFreeze, type JsonObject } from '../../common/index.js';
import { fieldsOf, isContentType, type ContentInput } from '../content-value.js';
import {
  isTerminalStatus,
  type BuilderEvent,
  type Content,
  type ContentType,
  type ErrorModel,
  type Message,
  type MessageType,
  type Role,
  type TerminalStatus,
  type Usage,
} from '../vocabulary.js';
import { BuilderError } from './builder-error.js';
import { ContentBuilder, type ContentOwner } from './content-builder.js';
import { cloneJson } from './merge.js';

/** What a message needs of the response it belongs to. */
export interface MessageOwner {
  /** Makes ready for the announcement of a message. Throws, recording nothing, when the response has ended. */
  open(): void;
  record(event: BuilderEvent): void;
  /** The message was announced: it is now part of the output. */
  announced(message: MessageBuilder): void;
}

/** What a closed message may carry besides its contents. */
export interface MessageClosing {
  readonly usage?: Usage | null;
  readonly metadata?: JsonObject | null;
  readonly error?: ErrorModel | null;
  readonly code?: string | null;
  readonly message?: string | null;
}

/**
 * Builds one message of a response. Made by `ResponseBuilder.createMessageBuilder`. The announcement
 * (created, in_progress) is recorded with its first content, where the agent did not record it.
 * A message that was never announced leaves no trace in the response.
 *
 * Every call that makes an event records it, frozen, and returns it.
 *
 * @throws BuilderError GRAMMAR on anything but a repeated closing after the message was closed
 */
export class MessageBuilder {
  readonly id: string;
  readonly role: Role | null;
  readonly type: MessageType;
  private phase: 'new' | 'created' | 'in_progress' = 'new';
  private readonly contents: ContentBuilder[] = [];
  private readonly contentOwner: ContentOwner;
  private opening: Pick<MessageClosing, 'metadata'> = {};
  private closed: Message | undefined;

  /** What every event of the message carries; its closing may add to it. */
  private readonly metadata: JsonObject | undefined;

  /** @internal Made by ResponseBuilder. `resume` goes on with a message that was recorded before. */
  constructor(
    private readonly owner: MessageOwner,
    { id, role, type, metadata }: Pick<Message, 'id' | 'role' | 'type'> & { readonly metadata?: JsonObject | null },
    resume?: Message,
  ) {
    this.id = id;
    this.role = role;
    this.type = type;
    this.metadata = metadata ?? undefined;
    this.contentOwner = {
      msgId: id,
      open: (index) => this.openSlot(index),
      record: (event) => owner.record(event),
    };
    if (resume) this.restore(resume);
  }

  /** True once its announcement was recorded. */
  get isAnnounced(): boolean {
    return this.phase !== 'new';
  }

  /** True once it takes no more. */
  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /**
   * Announces the message.
   *
   * @param opening what is known of it from its beginning; it is told until the message is closed
   * @throws BuilderError GRAMMAR the second time
   */
  created(opening: Pick<MessageClosing, 'metadata'> = {}): Message {
    this.ensureOpen('created');
    if (this.phase !== 'new') throw new BuilderError('GRAMMAR', `message ${this.id} was already announced`);
    this.owner.open();
    this.opening = opening;
    const event = this.make('created', [], opening);
    this.owner.record(event);
    this.phase = 'created';
    this.owner.announced(this);
    return event;
  }

  /** Records that the message is being written; announces it first if need be. @throws BuilderError GRAMMAR the second time */
  inProgress(): Message {
    this.ensureOpen('inProgress');
    if (this.phase === 'in_progress') throw new BuilderError('GRAMMAR', `message ${this.id} is already in progress`);
    if (this.phase === 'new') this.created();
    const event = this.make('in_progress', [], this.opening);
    this.owner.record(event);
    this.phase = 'in_progress';
    return event;
  }

  /**
   * Takes the next content slot. Slots are recorded from their first event on; a slot that never had
   * one is left out when the message is closed.
   *
   * @param index may be given for clearness; it must be the next free slot
   * @throws BuilderError UNSUPPORTED_CONTENT_TYPE, GRAMMAR
   */
  createContentBuilder(type: ContentType = 'text', index?: number | null): ContentBuilder {
    if (!isContentType(type))
      throw new BuilderError('UNSUPPORTED_CONTENT_TYPE', `Unsupported content type: ${String(type)}`);
    this.ensureOpen('createContentBuilder');
    const next = this.contents.length;
    if (index !== undefined && index !== null && index !== next) {
      const why = this.contents[index] ? 'is taken' : 'leaves a gap';
      throw new BuilderError('GRAMMAR', `content index ${index} of message ${this.id} ${why}; the next is ${next}`);
    }
    const content = new ContentBuilder(this.contentOwner, type, next);
    this.contents.push(content);
    return content;
  }

  /**
   * Adds a whole content in the next slot: one delta with everything, then its closing, which is
   * returned. A content that says it is incomplete, failed or canceled is closed so.
   */
  addContent(content: ContentInput): Content {
    const builder = this.createContentBuilder(content.type, content.index);
    builder.write('addContent', fieldsOf(content), true);
    return builder.close(isTerminalStatus(content.status) ? content.status : 'completed');
  }

  /**
   * Adds a piece. Without an index, or with the next one, it begins a new slot; with the index of an
   * open slot it is appended, or, with `delta: false`, replaces that slot's value.
   */
  addDeltaContent(content: ContentInput): Content {
    const present = typeof content.index === 'number' ? this.contents[content.index] : undefined;
    if (present && present.type !== content.type) {
      throw new BuilderError(
        'WRONG_CONTENT_TYPE',
        `content ${present.index} is of type ${present.type}, not ${content.type}`,
      );
    }
    const builder = present ?? this.createContentBuilder(content.type, content.index);
    return builder.write('addDeltaContent', fieldsOf(content), content.delta !== false);
  }

  /** Closes a slot and returns its event with the full value. @throws BuilderError GRAMMAR for a slot that is not there */
  contentCompleted(index: number): Content {
    const content = this.contents[index];
    if (!content) throw new BuilderError('GRAMMAR', `message ${this.id} has no content ${index}`);
    return content.complete();
  }

  /** The message as it stands, with the contents begun so far. */
  getMessageData(): Message {
    if (this.closed) return this.closed;
    const status = this.phase === 'new' ? 'created' : this.phase;
    return this.make(
      status,
      this.openedContents().map((content) => content.getContentData()),
      this.opening,
    );
  }

  /** Completes what is open and closes the message. Again: the same event, not recorded twice. */
  complete(options: Pick<MessageClosing, 'usage' | 'metadata'> = {}): Message {
    return this.close('completed', options);
  }

  /** Closes contents and message as cut off, keeping what is there. */
  incomplete(options: MessageClosing = {}): Message {
    return this.close('incomplete', options);
  }

  /** Closes contents and message as canceled, keeping what is there. */
  canceled(options: MessageClosing = {}): Message {
    return this.close('canceled', options);
  }

  /** Closes the message as failed, its open contents as incomplete. */
  fail(error: ErrorModel): Message {
    return this.close('failed', { error, code: error.code, message: error.message });
  }

  /** @internal Closes in any terminal state; idempotent per state. */
  close(status: TerminalStatus, options: MessageClosing): Message {
    if (this.closed) {
      if (this.closed.status === status) return this.closed;
      throw new BuilderError('GRAMMAR', `message ${this.id} is already ${this.closed.status}`);
    }
    this.ensureInProgress();
    const rest = status === 'completed' || status === 'canceled' ? status : 'incomplete';
    const contents = this.openedContents();
    for (const content of contents) if (!content.isClosed) content.close(rest);
    const event = this.make(
      status,
      contents.map((content) => content.getContentData()),
      options,
    );
    this.owner.record(event);
    this.closed = event;
    return event;
  }

  /** @internal Its response was reset: takes no more, records nothing. */
  abandon(): void {
    for (const content of this.contents) content.abandon();
    this.closed ??= this.make(
      'canceled',
      this.openedContents().map((content) => content.getContentData()),
    );
  }

  private openSlot(index: number): void {
    this.ensureOpen('a content');
    this.ensureInProgress();
    for (const content of this.contents) {
      if (content.index < index) content.ensureOpened();
    }
  }

  private ensureInProgress(): void {
    if (this.phase !== 'in_progress') this.inProgress();
  }

  private ensureOpen(what: string): void {
    if (this.closed) throw new BuilderError('GRAMMAR', `${what} after message ${this.id} is ${this.closed.status}`);
  }

  private openedContents(): ContentBuilder[] {
    return this.contents.filter((content) => content.isOpened);
  }

  private make(status: Message['status'], content: Content[], closing: MessageClosing = {}): Message {
    const metadata = closing.metadata && this.metadata ? { ...closing.metadata, ...this.metadata } : closing.metadata;
    return deepFreeze<Message>({
      object: 'message',
      status,
      error: closing.error ? { ...closing.error } : null,
      id: this.id,
      type: this.type,
      role: this.role,
      content,
      code: closing.code ?? null,
      message: closing.message ?? null,
      usage: closing.usage ? { ...closing.usage } : null,
      metadata: cloneOf(metadata ?? this.metadata),
    });
  }

  private restore(message: Message): void {
    this.phase = message.status === 'created' ? 'created' : 'in_progress';
    for (const [index, content] of (message.content ?? []).entries()) {
      this.contents.push(new ContentBuilder(this.contentOwner, content.type, index, content));
    }
    if (!isTerminalStatus(message.status)) return;
    this.closed = this.make(
      message.status,
      this.contents.map((content) => content.getContentData()),
      message,
    );
  }
}

function cloneOf(metadata: JsonObject | undefined): JsonObject | null {
  return metadata ? cloneJson(metadata) : null;
}
