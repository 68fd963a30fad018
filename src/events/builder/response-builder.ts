import {
  deepFreeze,
  type JsonObject,
  TimeOrderedIds,
  SystemClock,
  type IdFactory,
  type WallClock,
} from '../../common/index.js';
import type { BuilderEvent } from '../agent-event.js';
import {
  isTerminalStatus,
  type AgentResponse,
  type ErrorModel,
  type Message,
  type MessageType,
  type Role,
  type TerminalStatus,
  type Usage,
} from '../agent-objects.js';
import { BuilderError } from './builder-error.js';
import type { MessageBuilder } from './message-builder.js';
import { OutputMessages } from './output-messages.js';

/** Options of a response builder. */
export interface ResponseBuilderOptions {
  readonly sessionId?: string | null;
  readonly responseId?: string;
  readonly ids?: IdFactory;
  readonly clock?: WallClock;
  /** Receives every event as it is made. Without it, events are queued for `drain`. */
  readonly sink?: (event: BuilderEvent) => void;
  /** Continues a response, given as `ResponseFold` returned it. Its ids take precedence over the other options. */
  readonly resume?: AgentResponse;
  /** The ids of messages that earlier attempts discarded. */
  readonly retired?: Iterable<string>;
}

/** Fields of a terminal response. */
export interface ResponseClosing {
  /** Default: the sum of the messages' usages and of what `addUsage` counted. */
  readonly usage?: Usage | null;
}

type ResponseEnd = Partial<Pick<AgentResponse, 'error' | 'usage' | 'completed_at'>>;

/**
 * Builds a response, the outermost of the three layers (contract agent-api, sections a.4 and b).
 *
 * Every call returns its event and records it (`sink` or `drain`). The recorded stream is always legal: it
 * contains the announcements that the agent omitted. Events are frozen and never change.
 *
 * The order is: created, in_progress, messages, one terminal event. A terminal event closes open messages:
 * `completed` completes them, `canceled` cancels them, the others close them as `incomplete`. Their partial
 * content stays in `output`.
 *
 * @throws BuilderError GRAMMAR on calls out of order; nothing is recorded then
 */
export class ResponseBuilder {
  private readonly ids: IdFactory;
  private readonly clock: WallClock;
  private readonly sink: ((event: BuilderEvent) => void) | undefined;
  private readonly sessionId: string | null;
  private queue: BuilderEvent[] = [];
  private readonly output: OutputMessages;
  private phase: 'new' | 'created' | 'in_progress' = 'new';
  private ended: AgentResponse | undefined;
  private responseId: string;
  private createdAt: number;

  constructor(options: ResponseBuilderOptions = {}) {
    const { resume } = options;
    this.ids = options.ids ?? new TimeOrderedIds();
    this.clock = options.clock ?? new SystemClock();
    this.sink = options.sink;
    this.sessionId = resume ? resume.session_id : (options.sessionId ?? null);
    this.responseId = resume?.id ?? options.responseId ?? this.ids.next('response_');
    this.createdAt = resume?.created_at ?? this.seconds();
    const owner = {
      open: () => this.ensureInProgress('a message'),
      record: (event: BuilderEvent) => this.record(event),
    };
    this.output = new OutputMessages(owner, options.retired);
    if (!resume) return;
    this.phase = resume.status === 'created' ? 'created' : 'in_progress';
    this.output.restore(resume.output ?? []);
    if (isTerminalStatus(resume.status)) this.ended = this.make(resume.status, this.output.data(), resume);
  }

  get id(): string {
    return this.responseId;
  }

  /** True once the second event has been recorded, also after the end. */
  get isInProgress(): boolean {
    return this.phase === 'in_progress';
  }

  /** True once the terminal event has been recorded. */
  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  /** Records the first event. */
  created(): AgentResponse {
    this.ensureNotEnded('created');
    if (this.phase !== 'new') throw new BuilderError('GRAMMAR', `response ${this.id} was already created`);
    const event = this.make('created', []);
    this.record(event);
    this.phase = 'created';
    return event;
  }

  /** Records the second event, and the first one before it if that is missing. */
  inProgress(): AgentResponse {
    this.ensureNotEnded('inProgress');
    if (this.phase === 'in_progress') throw new BuilderError('GRAMMAR', `response ${this.id} is already in progress`);
    if (this.phase === 'new') this.created();
    const event = this.make('in_progress', []);
    this.record(event);
    this.phase = 'in_progress';
    return event;
  }

  /** Ends the response. A repeated call returns the same event and records nothing. */
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

  /** Ends a response that was never started. */
  rejected(error: ErrorModel): AgentResponse {
    return this.end('rejected', error, {});
  }

  /** Ends the response before its work was done, for example at a limit. */
  incomplete(error: ErrorModel | null = null, options: ResponseClosing = {}): AgentResponse {
    return this.end('incomplete', error, options);
  }

  /**
   * Starts a new response with a new id in the same session. Events that were not drained yet are dropped;
   * builders of the old response accept nothing more.
   *
   * @throws BuilderError GRAMMAR if a sink has already received events, because they cannot be withdrawn
   */
  reset(): void {
    if (this.sink && this.phase !== 'new') {
      throw new BuilderError('GRAMMAR', `response ${this.id} is being recorded and cannot be reset`);
    }
    this.output.clear();
    this.queue = [];
    this.phase = 'new';
    this.ended = undefined;
    this.responseId = this.ids.next('response_');
    this.createdAt = this.seconds();
  }

  /** The response in its current state, with the messages announced so far. */
  getResponseData(): AgentResponse {
    if (this.ended) return this.ended;
    return this.make(this.phase === 'new' ? 'created' : this.phase, this.output.data());
  }

  /** The announced messages in their current state, from a position on. */
  messagesFrom(index: number): Message[] {
    return this.output.data(index);
  }

  /**
   * Starts a message with a new id. It joins the output when it is announced. `metadata` is added to all its events.
   */
  createMessageBuilder(
    role: Role = 'assistant',
    messageType: MessageType = 'message',
    metadata?: JsonObject,
  ): MessageBuilder {
    this.ensureNotEnded('createMessageBuilder');
    let id = this.ids.next('msg_');
    while (this.output.has(id)) id = this.ids.next('msg_');
    return this.output.create({ id, role, type: messageType, metadata });
  }

  /**
   * Adds a whole message under its own id and returns its closing event; it stays open if its status is not
   * terminal. A message with a known id is updated. A number is added to the id of a discarded message,
   * because readers ignore events under the old id. `metadata` is added to all its events.
   */
  addMessage(message: Message, metadata?: JsonObject): Message {
    this.ensureNotEnded('addMessage');
    return this.output.add(message, metadata);
  }

  /**
   * Brings an open message to the given state: open contents get the given values, new ones are added, and it
   * is closed if the given status is terminal. Unknown ids are ignored.
   *
   * @throws BuilderError GRAMMAR if the message is closed, because its events cannot be changed
   */
  updateMessage(message: Message): Message | undefined {
    this.ensureNotEnded('updateMessage');
    return this.output.update(message);
  }

  /** Builders of the announced messages that are not closed. */
  openMessages(): MessageBuilder[] {
    return this.output.open();
  }

  /**
   * Removes messages from the output, for a run that is resumed after a crash and starts them again. Returns
   * the closing events of open ones. The caller must record the `run.recovered` event before any other.
   */
  discard(messageIds: readonly string[]): Message[] {
    this.ensureNotEnded('discard');
    return this.output.discard(messageIds);
  }

  /**
   * Yields the standard sequence for one text message: response created and in_progress (unless already
   * recorded), message created and in_progress, a delta per token, content completed, message completed,
   * response completed. If the response has ended, it starts a new one.
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

  /** @internal True for an event of this response or of its messages, which was recorded when it was made. */
  knows(event: BuilderEvent): boolean {
    if (event.object === 'response') return event.id === this.responseId;
    const id = event.object === 'message' ? event.id : event.msg_id;
    return typeof id === 'string' && this.output.has(id);
  }

  /** Adds usage that no message contains, such as that of a model call that was interrupted. */
  addUsage(usage: Usage): void {
    this.output.addUsage(usage);
  }

  /** Returns and removes the queued events. Always empty if there is a sink. */
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
    const output = this.output.data();
    const usage = options.usage ?? this.output.usage();
    const event = this.make(status, output, { error, usage, completed_at: Math.max(this.seconds(), this.createdAt) });
    this.record(event);
    this.ended = event;
    this.output.abandon();
    return event;
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
}
