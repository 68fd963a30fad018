import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../common/index.js';
import { type Content, isTerminalStatus, type Message, type Usage } from '../agent-objects.js';
import { fieldsOf, isContentType } from '../content-value.js';
import { BuilderError } from './builder-error.js';
import { MessageBuilder, type MessageOwner } from './message-builder.js';

const OPTIONAL_COUNTS = ['reasoning_tokens', 'cached_tokens'] as const;

type Sum = { -readonly [Key in keyof Usage]: Usage[Key] };

/** The identity of a new message and the metadata of all its events. */
type NewMessage = Pick<Message, 'id' | 'role' | 'type'> & { readonly metadata?: JsonObject | undefined };

/**
 * The messages of one response: the builders of all its messages, and the output, which lists the announced
 * ones in the order of their announcements.
 */
export class OutputMessages {
  private readonly owner: MessageOwner;
  /** Every message of this response, announced or not, by id. */
  private readonly known = new Map<string, MessageBuilder>();
  private announced: MessageBuilder[] = [];
  private readonly retired: Set<string>;
  private readonly extraUsage: Usage[] = [];

  /** @param retired ids of messages that earlier attempts discarded */
  constructor(owner: Pick<MessageOwner, 'open' | 'record'>, retired: Iterable<string> = []) {
    this.owner = { announced: (message) => this.announced.push(message), ...owner };
    this.retired = new Set(retired);
  }

  /** True if a message of this response has the id. */
  has(id: string): boolean {
    return this.known.has(id);
  }

  /** Starts a message. It joins the output when it is announced. */
  create({ id, role, type, metadata }: NewMessage): MessageBuilder {
    const builder = new MessageBuilder(this.owner, { id, role, type, ...(metadata && { metadata }) });
    this.known.set(id, builder);
    return builder;
  }

  /** Adds the messages of a response that is continued. */
  restore(messages: readonly Message[]): void {
    for (const message of messages) {
      const builder = new MessageBuilder(this.owner, message, message);
      this.known.set(message.id, builder);
      this.announced.push(builder);
    }
  }

  /** Adds a whole message, or updates it if its id is known. Returns its last event, or its state if it is open. */
  add(message: Message, metadata?: JsonObject): Message {
    const id = this.currentId(message.id);
    const present = this.known.get(id);
    if (present) return updateOpenMessage(present, message);
    refuseUnknownTypes(message);
    const { role, type } = message;
    const builder = this.create({ id, role, type, metadata });
    builder.created();
    return writeMessage(builder, message);
  }

  /** Updates an open message; undefined if its id is unknown. @throws BuilderError GRAMMAR if it is closed */
  update(message: Message): Message | undefined {
    const present = this.known.get(this.currentId(message.id));
    return present && updateOpenMessage(present, message);
  }

  /** Removes messages from the output and retires their ids. Open ones are closed as incomplete. */
  discard(messageIds: readonly string[]): Message[] {
    const ids = new Set(messageIds);
    const discarded = this.announced.filter((message) => ids.has(message.id));
    const closings = discarded.filter((message) => !message.isClosed).map((message) => message.incomplete());
    this.announced = this.announced.filter((message) => !ids.has(message.id));
    for (const message of discarded) {
      this.known.delete(message.id);
      this.retired.add(message.id);
    }
    return closings;
  }

  /** Builders of the announced messages that are not closed. */
  open(): MessageBuilder[] {
    return this.announced.filter((message) => !message.isClosed);
  }

  /** The output in its current state, from a position on. */
  data(from = 0): Message[] {
    return this.announced.slice(from).map((message) => message.getMessageData());
  }

  /** Adds usage that no message contains. */
  addUsage(usage: Usage): void {
    this.extraUsage.push(usage);
  }

  /** The usage of all messages of the output, and what was added to it; null if there is none. */
  usage(): Usage | null {
    return sumUsage([...this.announced.map((message) => message.getMessageData().usage), ...this.extraUsage]);
  }

  /** Ends all builders: they accept and record nothing more. */
  abandon(): void {
    for (const message of this.known.values()) message.abandon();
  }

  /** Removes all messages. */
  clear(): void {
    this.abandon();
    this.known.clear();
    this.announced = [];
  }

  /** The id under which a message given by an agent is known now: a number is added to a retired id. */
  private currentId(given: string): string {
    let id = given;
    for (let times = 2; this.retired.has(id); times += 1) id = `${given}_${times}`;
    return id;
  }
}

/** Brings an open message to the given state. @throws BuilderError GRAMMAR before anything is recorded */
function updateOpenMessage(builder: MessageBuilder, message: Message): Message {
  if (builder.isClosed) throw new BuilderError('GRAMMAR', `updateMessage after message ${builder.id} is closed`);
  refuseUnknownTypes(message);
  const present = builder.getMessageData().content ?? [];
  for (const [index, content] of (message.content ?? []).entries()) {
    const before = present[index];
    if (before) refuseConflict(builder.id, before, content);
  }
  return writeMessage(builder, message);
}

function writeMessage(builder: MessageBuilder, message: Message): Message {
  const present = builder.getMessageData().content ?? [];
  for (const [index, content] of (message.content ?? []).entries()) {
    const before = present[index];
    if (before && (isTerminalStatus(before.status) || sameValue(before, content))) continue;
    const placed = { ...content, index: before ? index : null };
    builder.addDeltaContent({ ...placed, delta: !before });
    // The contents of an open message stay open, unless their status is terminal.
    if (isTerminalStatus(content.status)) builder.contentCompleted(index);
  }
  if (isTerminalStatus(message.status)) return builder.close(message.status, message);
  return builder.getMessageData();
}

function refuseUnknownTypes(message: Message): void {
  for (const { type } of message.content ?? []) {
    if (!isContentType(type))
      throw new BuilderError('UNSUPPORTED_CONTENT_TYPE', `Unsupported content type: ${String(type)}`);
  }
}

function refuseConflict(id: string, before: Content, after: Content): void {
  const closed = isTerminalStatus(before.status);
  if (before.type === after.type && (!closed || sameValue(before, after))) return;
  const why = closed ? `is already ${before.status}` : `is of type ${before.type}`;
  throw new BuilderError('GRAMMAR', `updateMessage: content ${before.index} of message ${id} ${why}`);
}

function sameValue(before: Content, after: Content): boolean {
  return before.type === after.type && isDeepStrictEqual(fieldsOf(before), fieldsOf(after));
}

/**
 * The sum of usages; null if there are none. An optional count is present if any usage has it. A usage without
 * a total counts as the sum of its input and output tokens.
 */
function sumUsage(usages: Iterable<Usage | null>): Usage | null {
  let sum: Sum | null = null;
  let total = 0;
  let hasTotal = false;
  for (const usage of usages) {
    if (!usage) continue;
    sum ??= { input_tokens: 0, output_tokens: 0 };
    add(sum, usage);
    total += usage.total_tokens ?? usage.input_tokens + usage.output_tokens;
    hasTotal ||= usage.total_tokens !== undefined;
  }
  if (sum && hasTotal) sum.total_tokens = total;
  return sum;
}

function add(sum: Sum, usage: Usage): void {
  sum.input_tokens += usage.input_tokens;
  sum.output_tokens += usage.output_tokens;
  for (const key of OPTIONAL_COUNTS) {
    const count = usage[key];
    if (count !== undefined) sum[key] = (sum[key] ?? 0) + count;
  }
}
