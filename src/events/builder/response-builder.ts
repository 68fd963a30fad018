import { deepFreeze, type JsonObject, RandomIds, SystemClock, type Clock, type IdFactory } from '../../common/index.js';
import {
  isTerminalStatus,
  type AgentResponse,
  type BuilderEvent,
  type ErrorModel,
  type Message,
  type MessageType,
  type Role,
  type TerminalStatus,
  type Usage,
} from '../vocabulary.js';
import { BuilderError } from './builder-error.js';
import { MessageBuilder, type MessageOwner } from './message-builder.js';
import type { ResponseBuilderOptions, ResponseClosing } from './response-builder-options.js';
import { addWholeMessage, updateOpenMessage } from './whole-message.js';
import { sumUsage } from './usage.js';

type ResponseEnd = Partial<Pick<AgentResponse, 'error' | 'usage' | 'completed_at'>>;

/**
 * Builds a response: the outermost of the three layers (contract agent-api, sections a.4 and b).
 *
 * There are two ways to take the stream: collect what the calls return, or take what is recorded
 * (`sink` or `drain`). The recorded stream is always legal: announcements that the agent left out
 * are in it. All events are frozen copies and never change afterwards.
 *
 * Order: created, in_progress, messages, one terminal. A terminal closes what is open: `completed`
 * completes it; the others keep what is there as `incomplete` (`canceled` as canceled), so that
 * `output` holds the partial text.
 *
 * @throws BuilderError GRAMMAR on calls out of order; nothing is recorded then
 */
export class ResponseBuilder {
  private readonly ids: IdFactory;
  private readonly clock: Clock;
  private readonly sink: ((event: BuilderEvent) => void) | undefined;
  private readonly owner: MessageOwner;
  private readonly sessionId: string | null;
  private queue: BuilderEvent[] = [];
  /** Every message with an id of this response, announced or not. */
  private readonly known = new Map<string, MessageBuilder>();
  /** The ids of messages that were taken back. */
  private readonly retired: Set<string>;
  /** The announced messages, in the order of their announcements. */
  private output: MessageBuilder[] = [];
  private readonly extraUsage: Usage[] = [];
  private phase: 'new' | 'created' | 'in_progress' = 'new';
  private ended: AgentResponse | undefined;
  private responseId: string;
  private createdAt: number;

  constructor(options: ResponseBuilderOptions = {}) {
    const { resume } = options;
    this.ids = options.ids ?? new RandomIds();
    this.clock = options.clock ?? new SystemClock();
    this.sink = options.sink;
    this.retired = new Set(options.retired);
    this.sessionId = resume ? resume.session_id : (options.sessionId ?? null);
    this.responseId = resume?.id ?? options.responseId ?? this.ids.next('response_');
    this.createdAt = resume?.created_at ?? this.seconds();
    this.owner = {
      open: () => this.ensureInProgress('a message'),
      record: (event) => this.record(event),
      announced: (message) => this.output.push(message),
    };
    if (resume) this.restore(resume);
  }

  get id(): string {
    return this.responseId;
  }

  /** True once the terminal event was recorded. */
  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  /** The first event. */
  created(): AgentResponse {
    this.ensureNotEnded('created');
    if (this.phase !== 'new') throw new BuilderError('GRAMMAR', `response ${this.id} was already created`);
    const event = this.make('created', []);
    this.record(event);
    this.phase = 'created';
    return event;
  }

  /** The second event; records the first before it if need be. */
  inProgress(): AgentResponse {
    this.ensureNotEnded('inProgress');
    if (this.phase === 'in_progress') throw new BuilderError('GRAMMAR', `response ${this.id} is already in progress`);
    if (this.phase === 'new') this.created();
    const event = this.make('in_progress', []);
    this.record(event);
    this.phase = 'in_progress';
    return event;
  }

  /** Ends the response. Again: the same event, not recorded twice. */
  completed(options: ResponseClosing = {}): AgentResponse {
    if (this.ended?.status === 'completed') return this.ended;
    return this.end('completed', null, options);
  }

  failed(error: ErrorModel, options: ResponseClosing = {}): AgentResponse {
    return this.end('failed', error, options);
  }

  canceled(options: ResponseClosing = {}): AgentResponse {
    return this.end('canceled', null, options);
  }

  /** Ends a response that was never begun. */
  rejected(error: ErrorModel): AgentResponse {
    return this.end('rejected', error, {});
  }

  /** Ends the response as cut off, for example at a limit. */
  incomplete(error: ErrorModel | null = null, options: ResponseClosing = {}): AgentResponse {
    return this.end('incomplete', error, options);
  }

  /**
   * Begins a new response with a new id in the same session. What was recorded and not drained yet
   * is dropped; builders of the old response take no more.
   *
   * @throws BuilderError GRAMMAR when a sink has already taken events: they cannot be taken back
   */
  reset(): void {
    if (this.sink && this.phase !== 'new') {
      throw new BuilderError('GRAMMAR', `response ${this.id} is being recorded and cannot be reset`);
    }
    for (const message of this.known.values()) message.abandon();
    this.known.clear();
    this.output = [];
    this.queue = [];
    this.phase = 'new';
    this.ended = undefined;
    this.responseId = this.ids.next('response_');
    this.createdAt = this.seconds();
  }

  /** The response as it stands, with the messages announced so far. */
  getResponseData(): AgentResponse {
    if (this.ended) return this.ended;
    return this.make(this.phase === 'new' ? 'created' : this.phase, this.messages());
  }

  /** The announced messages from a place in their order on, as they stand. */
  messagesFrom(index: number): Message[] {
    return this.output.slice(index).map((message) => message.getMessageData());
  }

  /**
   * Begins a message with a new id. It joins the output when it is announced.
   *
   * @param metadata what all its events carry, from the announcement on
   */
  createMessageBuilder(
    role: Role = 'assistant',
    messageType: MessageType = 'message',
    metadata?: JsonObject,
  ): MessageBuilder {
    this.ensureNotEnded('createMessageBuilder');
    let id = this.ids.next('msg_');
    while (this.known.has(id)) id = this.ids.next('msg_');
    return this.remember(
      new MessageBuilder(this.owner, { id, role, type: messageType, ...(metadata && { metadata }) }),
    );
  }

  /**
   * Adds a whole message at once, under its own id: announcement, contents and closing, which is
   * returned. A message that is not closed yet is left open. A known id is updated instead. An id that
   * was taken back gets a number: readers know what they saw under it, and that it no longer counts.
   *
   * @param metadata what all its events carry, beside what its closing does
   */
  addMessage(message: Message, metadata?: JsonObject): Message {
    this.ensureNotEnded('addMessage');
    const id = this.currentId(message.id);
    const present = this.known.get(id);
    if (present) return updateOpenMessage(present, message);
    const { role, type } = message;
    const builder = new MessageBuilder(this.owner, { id, role, type, ...(metadata && { metadata }) });
    return addWholeMessage(this.remember(builder), message);
  }

  /**
   * Brings an open message to the given state: open contents take the given values, new ones are
   * added, and it is closed if the given one is. Unknown ids are ignored.
   *
   * @throws BuilderError GRAMMAR when the message is closed: what was streamed stands
   */
  updateMessage(message: Message): Message | undefined {
    this.ensureNotEnded('updateMessage');
    const present = this.known.get(this.currentId(message.id));
    return present && updateOpenMessage(present, message);
  }

  /** Builders of the announced messages that are not closed. */
  openMessages(): MessageBuilder[] {
    return this.output.filter((message) => !message.isClosed);
  }

  /**
   * Takes messages out of the output, for a run that is resumed after a crash and begins them again.
   * Those still open are closed as incomplete; their closing events are returned. The caller records
   * the `run.recovered` event that tells readers of the log, before anything else is written.
   */
  discard(messageIds: readonly string[]): Message[] {
    this.ensureNotEnded('discard');
    const discarded = this.output.filter((message) => messageIds.includes(message.id));
    const closings = discarded.filter((message) => !message.isClosed).map((message) => message.incomplete());
    this.output = this.output.filter((message) => !discarded.includes(message));
    for (const message of discarded) {
      this.known.delete(message.id);
      this.retired.add(message.id);
    }
    return closings;
  }

  /**
   * The standard sequence for one text message: response created and in_progress (unless already
   * recorded), message created and in_progress, a delta per token, content completed, message
   * completed, response completed. After an ended response it begins a new one.
   */
  *generateStreamingResponse(tokens: Iterable<string>, role: Role = 'assistant'): Generator<BuilderEvent, void, void> {
    if (this.ended) this.reset();
    if (this.phase === 'new') yield this.created();
    if (this.phase !== 'in_progress') yield this.inProgress();
    const message = this.createMessageBuilder(role);
    yield message.created();
    yield message.inProgress();
    const content = message.createContentBuilder('text');
    for (const token of tokens) yield content.addTextDelta(token);
    if (!content.isOpened) yield content.addTextDelta('');
    yield content.complete();
    yield message.complete();
    yield this.completed();
  }

  /** @internal True for an event of this response and its messages: it was recorded when it was made. */
  knows(event: BuilderEvent): boolean {
    if (event.object === 'response') return event.id === this.responseId;
    const id = event.object === 'message' ? event.id : event.msg_id;
    return typeof id === 'string' && this.known.has(id);
  }

  /** Counts what was used beside the messages: by work that was cut off before any of them could say so. */
  addUsage(usage: Usage): void {
    this.extraUsage.push(usage);
  }

  /** Takes the events recorded since the last call. Always empty when there is a sink. */
  drain(): BuilderEvent[] {
    const events = this.queue;
    this.queue = [];
    return events;
  }

  private end(status: TerminalStatus, error: ErrorModel | null, options: ResponseClosing): AgentResponse {
    this.ensureNotEnded(status);
    if (status !== 'rejected') this.ensureInProgress(status);
    else if (this.phase === 'new') this.created();
    const rest = status === 'completed' || status === 'canceled' ? status : 'incomplete';
    for (const message of this.openMessages()) message.close(rest, {});
    const output = this.messages();
    const usage = options.usage ?? sumUsage([...output.map((message) => message.usage), ...this.extraUsage]);
    const event = this.make(status, output, { error, usage, completed_at: Math.max(this.seconds(), this.createdAt) });
    this.record(event);
    this.ended = event;
    for (const message of this.known.values()) message.abandon();
    return event;
  }

  /** The id under which an agent's own id counts now. */
  private currentId(given: string): string {
    let id = given;
    for (let times = 2; this.retired.has(id); times += 1) id = `${given}_${times}`;
    return id;
  }

  private record(event: BuilderEvent): void {
    if (this.sink) this.sink(event);
    else this.queue.push(event);
  }

  private ensureInProgress(what: string): void {
    this.ensureNotEnded(what);
    if (this.phase !== 'in_progress') this.inProgress();
  }

  private ensureNotEnded(what: string): void {
    if (this.ended) throw new BuilderError('GRAMMAR', `${what} after response ${this.id} is ${this.ended.status}`);
  }

  private remember(message: MessageBuilder): MessageBuilder {
    this.known.set(message.id, message);
    return message;
  }

  private messages(): Message[] {
    return this.output.map((message) => message.getMessageData());
  }

  private seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  private make(status: AgentResponse['status'], output: Message[], end: ResponseEnd = {}): AgentResponse {
    return deepFreeze<AgentResponse>({
      object: 'response',
      status,
      error: end.error ? { ...end.error } : null,
      id: this.responseId,
      created_at: this.createdAt,
      completed_at: end.completed_at ?? null,
      output,
      usage: end.usage ? { ...end.usage } : null,
      session_id: this.sessionId,
    });
  }

  private restore(response: AgentResponse): void {
    this.phase = response.status === 'created' ? 'created' : 'in_progress';
    for (const message of response.output ?? []) {
      const builder = new MessageBuilder(this.owner, message, message);
      this.output.push(this.remember(builder));
    }
    if (!isTerminalStatus(response.status)) return;
    this.ended = this.make(response.status, this.messages(), response);
  }
}
