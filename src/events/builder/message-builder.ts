import { deepFreeze, type JsonObject } from '../../common/index.js';
import { fieldsOf, isContentType, type ContentInput } from '../content-value.js';
import type { BuilderEvent } from '../agent-event.js';
import {
  isTerminalStatus,
  type Content,
  type ContentType,
  type ErrorModel,
  type Message,
  type MessageType,
  type Role,
  type TerminalStatus,
  type Usage,
} from '../agent-objects.js';
import { BuilderError } from './builder-error.js';
import { ContentBuilder, type ContentOwner } from './content-builder.js';
import { cloneJson } from './merge.js';

/** What a message uses of its response. */
export interface MessageOwner {
  /** Prepares the announcement of a message. Throws, without recording anything, if the response has ended. */
  open(): void;
  record(event: BuilderEvent): void;
  /** Called when the message was announced and became part of the output. */
  announced(message: MessageBuilder): void;
}

/** Fields of a closed message besides its contents. */
export interface MessageClosing {
  readonly usage?: Usage | null;
  readonly metadata?: JsonObject | null;
  readonly error?: ErrorModel | null;
  readonly code?: string | null;
  readonly message?: string | null;
}

/**
 * Builds one message of a response. Made by `ResponseBuilder.createMessageBuilder`. If the agent does not
 * record the announcement (created, in_progress), it is recorded before the first content. A message that was
 * never announced is not part of the response.
 *
 * Every call that makes an event records it and returns it, frozen.
 *
 * @throws BuilderError GRAMMAR on any call after the message was closed, except a repeated closing
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

  /** Metadata of every event of the message. The closing may add to it. */
  private readonly metadata: JsonObject | undefined;

  /** @internal Called by ResponseBuilder. `resume` continues a message that was recorded before. */
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

  /** True once its announcement has been recorded. */
  get isAnnounced(): boolean {
    return this.phase !== 'new';
  }

  /** True once the message is closed. */
  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /**
   * Announces the message.
   *
   * @param opening metadata of its events until it is closed
   * @throws BuilderError GRAMMAR if it is already announced
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

  /**
   * Records that the message is in progress, after announcing it if necessary.
   *
   * @throws BuilderError GRAMMAR if it already is
   */
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
   * Takes the next content slot. A slot appears in the message with its first event; a slot without events is
   * left out when the message is closed.
   *
   * @param index optional; must be the next free slot
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
   * Adds a whole content in the next slot: one delta with the whole value, then the closing event, which is
   * returned. A content with the status incomplete, failed or canceled is closed with that status.
   */
  addContent(content: ContentInput): Content {
    const builder = this.createContentBuilder(content.type, content.index);
    builder.write('addContent', fieldsOf(content), true);
    return builder.close(isTerminalStatus(content.status) ? content.status : 'completed');
  }

  /**
   * Adds a delta. Without an index, or with the next one, it starts a new slot. With the index of an open slot
   * it is appended, or, with `delta: false`, replaces that slot's value.
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

  /**
   * Closes a slot and returns an event with the whole value.
   *
   * @throws BuilderError GRAMMAR if the slot does not exist
   */
  contentCompleted(index: number): Content {
    const content = this.contents[index];
    if (!content) throw new BuilderError('GRAMMAR', `message ${this.id} has no content ${index}`);
    return content.complete();
  }

  /** The message in its current state, with the contents started so far. */
  getMessageData(): Message {
    if (this.closed) return this.closed;
    const status = this.phase === 'new' ? 'created' : this.phase;
    return this.make(
      status,
      this.openedContents().map((content) => content.getContentData()),
      this.opening,
    );
  }

  /** Completes open contents and closes the message. A repeated call returns the same event and records nothing. */
  complete(options: Pick<MessageClosing, 'usage' | 'metadata'> = {}): Message {
    return this.close('completed', options);
  }

  /** Closes contents and message as incomplete, with their partial values. */
  incomplete(options: MessageClosing = {}): Message {
    return this.close('incomplete', options);
  }

  /** Closes contents and message as canceled, with their partial values. */
  canceled(options: MessageClosing = {}): Message {
    return this.close('canceled', options);
  }

  /** Closes the message as failed and its open contents as incomplete. */
  fail(error: ErrorModel): Message {
    return this.close('failed', { error, code: error.code, message: error.message });
  }

  /** @internal Closes the message with any terminal status. Idempotent per status. */
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

  /** @internal Ends the builder because its response has ended or was reset. Records nothing. */
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
