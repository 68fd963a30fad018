import { isoTime, type JsonObject } from '../../common/index.js';
import {
  type AgentResponse,
  CALL_TYPES,
  type Content,
  dataOf,
  discardedMessageIds,
  type InterruptEvent,
  isTerminalEvent,
  isTerminalStatus,
  type LoggedEvent,
  type Message,
  OUTPUT_TYPES,
  RUN_RECOVERED,
  SUBAGENT_ID,
} from '../../events/index.js';
import { CallParts } from './call-parts.js';
import type { Chunk, FinishReason, Level } from './chunk.types.js';
import { DataParts } from './data-parts.js';
import { LastStep } from './last-step.js';
import { fileChunks, sourceChunks } from './media-parts.js';
import { type TextKind, TextParts } from './text-parts.js';

/** How a turn is written. */
export interface FoldOptions {
  readonly level: Level;
  /** Whether messages have the metadata `{parley}`. */
  readonly hasMetadata: boolean;
  /** What clients read of a run that failed; undefined: its own sentence. */
  readonly errorText?: string | undefined;
  /** True for a tool that the page has typed. */
  readonly isStatic: (name: string) => boolean;
  /** What pages show in place of the name of a tool, if it has something. */
  readonly titleOf?: (name: string) => string | undefined;
  /** A content with the address that clients read it at. */
  readonly shown: (content: Content) => Content;
}

/** A run of the turn, as far as clients get to know of it. */
export interface FoldedRun {
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A question of the turn as the ledger has it: an approval, or an input. */
export interface AskedQuestion {
  readonly id: string;
  readonly callId: string | null;
  readonly status: string;
}

/** What was decided before a run, as far as streams say it. */
export interface RunContext {
  /** Ids of messages that are left out. */
  readonly discarded?: ReadonlySet<string>;
  /** The questions that the run goes on with. */
  readonly decided?: readonly AskedQuestion[];
}

/** A message of the log that is shown. */
type Shown = TextKind | 'call' | 'output' | 'data';

const NOTHING: ReadonlySet<string> = new Set();
/** The activity with which tools report how far they are. */
const PROGRESS = 'tool_progress';

/**
 * A turn as chunks: a fold over the logs of its runs, one after the other (contract ui-message-stream, section A4). The
 * same logs give the same chunks.
 */
export class TurnFold {
  private readonly texts = new TextParts();
  private readonly calls: CallParts;
  private readonly data = new DataParts();
  /** What is shown of each message that has begun. */
  private readonly messages = new Map<string, Shown>();
  /** Messages that are left out: the client need not see what a lost worker has written. */
  private hidden: ReadonlySet<string> = NOTHING;
  private isStepOpen = false;
  /** The messages that have begun in the open step. */
  private stepMessages = new Set<string>();
  /** True after an output: what the assistant writes next is another step. */
  private isStepOver = false;
  private hasRefused = false;
  private interrupt: InterruptEvent | undefined;
  private run: FoldedRun | undefined;
  private readonly lastStep: LastStep;

  constructor(private readonly options: FoldOptions) {
    this.calls = new CallParts(options);
    this.lastStep = new LastStep(options.level);
  }

  /** Begins with a run of the turn. */
  begin(run: FoldedRun, { discarded = NOTHING, decided = [] }: RunContext = {}): Chunk[] {
    const isFirst = this.run === undefined;
    this.run = run;
    this.hidden = discarded;
    this.hasRefused = false;
    this.interrupt = undefined;
    const chunks = decided.flatMap((question) => this.decided(question));
    if (isFirst || !this.options.hasMetadata) return chunks;
    return [{ type: 'message-metadata', messageMetadata: metadataOf(run) }, ...chunks];
  }

  /** Leaves out messages of the run, of which no event was folded yet. */
  hide(ids: readonly string[]): void {
    this.hidden = new Set([...this.hidden, ...ids]);
  }

  /** The metadata `{parley}` of the message where a run begins it; undefined if clients get none. */
  startMetadata(run: FoldedRun): JsonObject | undefined {
    return this.options.hasMetadata ? metadataOf(run) : undefined;
  }

  /** The part to which pieces of a text go that is shown; undefined for any other. */
  openText(messageId: string, index: number): { readonly id: string; readonly kind: TextKind } | undefined {
    return this.texts.partOf(messageId, index);
  }

  /** An output that the client has given with a request. */
  clientOutput(message: Message): Chunk[] {
    const chunks = this.calls.output(message);
    if (chunks.length > 0) this.isStepOver = true;
    return this.lastStep.take(chunks);
  }

  /**
   * What became of the questions of a turn without a run that would have said it: for lists of messages, not for streams.
   *
   * @param isWaiting false for a turn that the user has left open
   */
  settled(questions: readonly AskedQuestion[], { isWaiting }: { readonly isWaiting: boolean }): Chunk[] {
    const over = questions.filter(({ status }) => status !== 'pending');
    const denied = over.filter(({ status }) => status !== 'approved').flatMap(({ callId }) => callId ?? []);
    const told = [...over.flatMap((question) => this.decided(question)), ...this.calls.denied(denied)];
    if (isWaiting) return told;
    const asked = new Set(questions.flatMap(({ callId }) => callId ?? []));
    return [...told, ...this.calls.closeAll('not answered', asked)];
  }

  /** The chunks of the next event of the log. */
  next({ event }: LoggedEvent): readonly Chunk[] {
    return this.lastStep.take(this.chunksOf(event));
  }

  private chunksOf(event: LoggedEvent['event']): readonly Chunk[] {
    switch (event.object) {
      case 'content':
        return this.content(event);
      case 'message':
        return this.message(event);
      case 'response':
        return isTerminalEvent(event) ? this.finish(event) : [];
      case 'interrupt':
        return this.ask(event);
      case 'state':
        return this.data.takeState(event);
      case 'activity':
        return [...this.preliminary(event), ...this.data.activity(event)];
      case 'subagent':
        return this.data.subagent(event);
      case 'custom':
        return event.name === RUN_RECOVERED ? this.recovered(discardedMessageIds(event)) : this.data.custom(event);
      default:
        return [];
    }
  }

  private decided({ id, status }: AskedQuestion): Chunk[] {
    return [...this.data.settled(id, status), ...this.calls.settled(id, status)];
  }

  private message(message: Message): Chunk[] {
    if (this.hidden.has(message.id)) return [];
    const isEnd = isTerminalStatus(message.status);
    const begun = this.messages.has(message.id) ? [] : this.open(message);
    return isEnd ? [...begun, ...this.close(message)] : begun;
  }

  /** Announces a message, and shows the contents that it has already. */
  private open(message: Message): Chunk[] {
    const kind = kindOf(message);
    if (kind === undefined) return [];
    const isSubagents = typeof message.metadata?.[SUBAGENT_ID] === 'string';
    if (isSubagents && kind !== 'call' && kind !== 'output') return [];
    this.messages.set(message.id, kind);
    if (kind === 'call') this.calls.announce(message, !isSubagents);
    if (kind === 'output' || kind === 'data' || kind === 'call') return [];
    return (message.content ?? []).flatMap((content) => this.content({ ...content, msg_id: message.id }));
  }

  private content(content: Content): Chunk[] {
    const messageId = content.msg_id ?? '';
    const kind = this.messages.get(messageId);
    if (kind === undefined || kind === 'output' || kind === 'data') return [];
    if (kind === 'call') return this.inStep(messageId, () => this.calls.content(messageId, content));
    return this.inStep(messageId, () => this.said(kind, messageId, content));
  }

  private said(kind: TextKind, messageId: string, content: Content): Chunk[] {
    if (content.type === 'text') return this.texts.take(kind, messageId, content, content.text ?? '');
    if (content.type === 'refusal') {
      this.hasRefused = true;
      return this.texts.take(kind, messageId, content, content.refusal ?? '');
    }
    if (content.delta === true || !isTerminalStatus(content.status)) return [];
    const id = `${messageId}:${content.index ?? 0}`;
    return content.type === 'data' ? this.data.content(id, content) : fileChunks(id, this.options.shown(content));
  }

  private close(message: Message): Chunk[] {
    const kind = this.messages.get(message.id);
    if (kind === undefined) return [];
    if (kind === 'call') return this.inStep(message.id, () => this.calls.close(message));
    if (kind === 'output') return this.output(message);
    if (kind === 'data') return this.data.message(message.type, message.id, dataOf(message) ?? {});
    return [...this.texts.closeAll(message.id), ...this.inStep(message.id, () => sourceChunks(message))];
  }

  private output(message: Message): Chunk[] {
    if (message.status !== 'completed') return [];
    const chunks = this.calls.output(message);
    if (chunks.length === 0) return [];
    const images = (message.content ?? []).filter(({ type }) => type !== 'data');
    const files = images.flatMap((content, at) => fileChunks(`${message.id}:${at}`, this.options.shown(content)));
    this.isStepOver = true;
    return [...chunks, ...files];
  }

  private preliminary(event: Extract<LoggedEvent['event'], { object: 'activity' }>): Chunk[] {
    if (event.kind !== 'snapshot' || event.activity_type !== PROGRESS) return [];
    const { call_id: id, result } = event.content;
    return typeof id === 'string' && result !== undefined && result !== null ? this.calls.preliminary(id, result) : [];
  }

  /**
   * What the assistant writes belongs to a step: the open one, or a new one after an output. What is open stays in its
   * step, because clients look for it there.
   */
  private inStep(messageId: string, make: () => Chunk[]): Chunk[] {
    const isOver = this.isStepOver && !this.texts.isOpen && !this.calls.isStreaming;
    const chunks = make();
    if (chunks.length === 0) return chunks;
    const begun = this.isStepOpen && !isOver ? [] : [...this.endStep(), START_STEP];
    this.isStepOpen = true;
    this.isStepOver = false;
    this.stepMessages.add(messageId);
    return [...begun, ...chunks];
  }

  private endStep(): Chunk[] {
    const ended: Chunk[] = this.isStepOpen ? [{ type: 'finish-step' }] : [];
    this.isStepOpen = false;
    this.isStepOver = false;
    this.stepMessages = new Set();
    return [...this.data.changedState(), ...ended];
  }

  /** The run waits: what it asks of the client stands now. */
  private ask(event: InterruptEvent): Chunk[] {
    this.interrupt = event;
    const calls = [
      ...this.calls.ask(event.call_ids),
      ...event.items.flatMap((item) => (item.kind === 'approval' ? this.calls.approval(item) : [])),
    ];
    const questions = event.items.flatMap((item) => (item.kind === 'input' ? this.data.input(item) : []));
    return [...(calls.length > 0 && !this.isStepOpen ? this.inStep('', () => calls) : calls), ...questions];
  }

  /** A worker was lost: its unfinished messages are written again. */
  private recovered(ids: readonly string[]): Chunk[] {
    const lost = new Set(ids);
    const seen = ids.filter((id) => this.messages.has(id));
    const isInStep = this.isStepOpen && seen.length > 0 && seen.every((id) => this.stepMessages.has(id));
    // What the step holds besides would be lost, too.
    const isAll = isInStep && [...this.stepMessages].every((id) => lost.has(id));
    for (const id of ids) this.messages.delete(id);
    if (isAll && this.options.level === 7) {
      this.texts.forget();
      this.calls.discard(lost);
      this.calls.forget(lost);
      return [{ type: 'reset-step' }, ...this.endStep()];
    }
    return [...this.texts.closeAll(), ...this.calls.discard(lost), ...this.endStep()];
  }

  private finish(response: AgentResponse): Chunk[] {
    const { status, error, usage } = response;
    const isOver = status !== 'completed' && status !== 'incomplete';
    const waiting = isOver ? NOTHING : this.waitingCalls();
    const why = status === 'canceled' ? 'canceled' : 'not completed';
    const last = [...this.texts.closeAll(), ...this.calls.closeAll(why, waiting), ...this.endStep()];
    this.lastStep.take(last);
    const ended = this.lastStep.isSent ? [...last, ...this.emptyStep()] : last;
    if (status === 'canceled') return [...ended, { type: 'abort' }];
    if (isOver) {
      const errorText = this.options.errorText ?? error?.message ?? 'The run failed';
      return [...ended, { type: 'error', errorText }];
    }
    const { level, hasMetadata } = this.options;
    const metadata = hasMetadata ? { messageMetadata: metadataOf(this.run, usage) } : {};
    return [...ended, { type: 'finish', ...(level > 5 && { finishReason: this.reasonOf(response) }), ...metadata }];
  }

  /**
   * A step behind calls that nobody waits for any more: helpers of the SDK would send them over and over. Clients notice a
   * step with the next chunk that changes the message.
   */
  private emptyStep(): readonly Chunk[] {
    const { run } = this;
    const id = `${run?.runId ?? ''}:end`;
    const change: readonly Chunk[] = this.options.hasMetadata
      ? [{ type: 'message-metadata', messageMetadata: metadataOf(run) }]
      : [
          { type: 'text-start', id },
          { type: 'text-end', id },
        ];
    return [START_STEP, ...change, { type: 'finish-step' }];
  }

  /** The calls that the run waits for. */
  private waitingCalls(): ReadonlySet<string> {
    const { call_ids: ids = [], items = [] } = this.interrupt ?? {};
    return new Set([...ids, ...items.flatMap(({ call_id: id }) => id ?? [])]);
  }

  private reasonOf({ status, error }: AgentResponse): FinishReason {
    if (status === 'incomplete') return error?.code === 'content_filter' ? 'content-filter' : 'length';
    if (this.interrupt) return 'tool-calls';
    return this.hasRefused ? 'content-filter' : 'stop';
  }
}

function metadataOf(run: FoldedRun | undefined, usage?: AgentResponse['usage']): JsonObject {
  const { runId = '', createdAt = 0 } = run ?? {};
  const parley = { runId, createdAt: isoTime(createdAt), ...(usage && { usage: { ...usage } }) };
  return { parley };
}

const START_STEP: Chunk = { type: 'start-step' };

function kindOf({ type, role }: Message): Shown | undefined {
  if (CALL_TYPES.includes(type)) return 'call';
  if (OUTPUT_TYPES.includes(type)) return 'output';
  if (type === 'reasoning') return 'reasoning';
  if (type === 'message') return role === 'assistant' ? 'text' : undefined;
  return type === 'a2ui_response' || type === 'a2ui_action' ? 'data' : undefined;
}
