import { AppError, type Json, type JsonObject } from '../../../../common/index.js';
import { RUN_RECOVERED } from '../../../../events/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { asJson, asObject, asText, type Fields, fieldsOf, objectAt, objectsAt, textAt } from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { protocolFailure, reportedFailure } from '../remote-failure.js';
import { bareFailure } from '../reported-errors.js';
import type { ExchangeEnd, NamedMessage, RemoteReader } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { AgUiCalls } from './ag-ui-calls.js';
import { SOURCE, writeExtension } from './ag-ui-extensions.js';
import { callIdIn, contentText, deltaIn, either, firstOf, usageIn } from './ag-ui-fields.js';
import { askOutcome, askSuspended, OLDER_INTERRUPT } from './ag-ui-questions.js';
import { type SnapshotMessage, snapshotNews, type ToldBefore, toldBefore } from './ag-ui-snapshots.js';

/** Events that say nothing beyond those around them. */
const SILENT: ReadonlySet<string> = new Set([
  ...['RUN_STARTED', 'REASONING_START', 'REASONING_END', 'REASONING_MESSAGE_START'],
  ...['THINKING_START', 'THINKING_END', 'THINKING_TEXT_MESSAGE_START'],
]);
/** Events of messages. */
const TENTATIVE = /^(TEXT_MESSAGE|REASONING|THINKING|TOOL_CALL)_/;
/** Keys of chunks that name no message. */
const ANONYMOUS = 'chunk';

/** Reads the events of one run of AG-UI (contract ag-ui, section 1.3), of any version. */
export class AgUiReader implements RemoteReader {
  end: ExchangeEnd | undefined;
  readonly model = undefined;
  /** How many events were read. */
  position = 0;
  /** Events of a connection that was made again and that replays from the beginning. */
  private skipped = 0;
  private isReplay = false;
  /** The texts that chunks go on with, by the kind of text. */
  private readonly chunks = new Map<string, string>();
  private readonly calls = new AgUiCalls();
  /** The ids of the messages of the assistant that were told. */
  private readonly told: Set<string>;
  private newlyTold: string[] = [];
  /** What earlier runs have told since the user's last message, and the texts of this one by their ids. */
  private readonly before: ToldBefore;
  private readonly texts = new Set<string>();
  /** Messages of other roles than the assistant's. */
  private readonly foreign = new Set<string>();
  private newlyForeign: string[] = [];
  /** Custom events that are interrupts unless the run ends with some. */
  private readonly suspensions: JsonObject[] = [];
  private newSuspensions: JsonObject[] = [];
  private incomplete: string | undefined;
  /** True while the upstream may take back what it told: it keeps what has led to the results of all calls. */
  private isTentative = false;
  private first: string | undefined;

  constructor(
    private readonly runId: string,
    /** The conversation before: snapshots repeat it. */
    known: readonly NamedMessage[],
    private readonly config: Pick<RemoteAgentConfig, 'reattach' | 'secrets'>,
  ) {
    this.told = new Set(known.map(({ id }) => id));
    this.before = toldBefore(known);
  }

  /** The run has the id that it was given; another Parley finds it by its own, which is in a header. */
  identify(_: SseEvent, header: (name: string) => string | undefined): string | undefined {
    return this.config.reattach === 'parley' ? header('x-run-id') : this.runId;
  }

  /** Another Parley goes on with what a lost worker has told, or tells it anew. */
  get isSettled(): boolean {
    return this.config.reattach !== 'parley' || !this.isTentative;
  }

  read(event: SseEvent, writer: RemoteWriter): void {
    const fields = fieldsOf(event);
    if (this.isReplay) {
      this.skipped += 1;
      if (this.skipped === 1 && this.first !== undefined && this.first !== firstOf(fields))
        throw protocolFailure('The remote agent replays another run');
      if (this.skipped <= this.position) return;
      this.isReplay = false;
    }
    if (this.position === 0) this.first = firstOf(fields);
    this.position += 1;
    const type = textAt(fields, 'type') ?? '';
    if (TENTATIVE.test(type)) this.isTentative = true;
    this.map(type, fields, writer);
  }

  takeTold(): JsonObject {
    const calls = this.calls.takeTold();
    const told = {
      messages: this.newlyTold,
      ...(this.first !== undefined && { first: this.first }),
      ...(this.newSuspensions.length > 0 && { suspensions: this.newSuspensions }),
      ...(calls.length > 0 && { calls }),
      ...(this.newlyForeign.length > 0 && { foreign: this.newlyForeign }),
      ...(this.incomplete !== undefined && { incomplete: this.incomplete }),
    };
    this.newlyTold = [];
    this.newSuspensions = [];
    this.newlyForeign = [];
    return told;
  }

  reconnected(): void {
    // A connect address begins with the first event.
    this.isReplay = this.config.reattach === 'connect' && this.position > 0;
    this.skipped = 0;
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = typeof position === 'number' ? position : 0;
    for (const { messages, foreign, first, incomplete, ...rest } of told) {
      for (const id of Array.isArray(messages) ? messages : []) this.told.add(asText(id));
      for (const id of Array.isArray(foreign) ? foreign : []) this.foreign.add(asText(id));
      this.calls.restore(rest);
      this.suspensions.push(...objectsAt(rest, 'suspensions').map(asObject));
      if (typeof first === 'string') this.first = first;
      if (typeof incomplete === 'string') this.incomplete = incomplete;
    }
  }

  private map(type: string, fields: Fields, writer: RemoteWriter): void {
    if (!type.endsWith('_CHUNK')) this.endChunks(writer);
    if (SILENT.has(type)) return;
    switch (type) {
      case 'TEXT_MESSAGE_START':
        return this.beginText(fields, writer);
      case 'TEXT_MESSAGE_CONTENT':
        return this.text(this.idIn(fields), 'text', deltaIn(fields), writer);
      case 'TEXT_MESSAGE_CHUNK':
        return this.chunk('text', fields, writer);
      case 'REASONING_MESSAGE_CONTENT':
      case 'THINKING_TEXT_MESSAGE_CONTENT':
      case 'THINKING_CONTENT':
        return this.text(`r:${this.idIn(fields)}`, 'reasoning', deltaIn(fields), writer);
      case 'REASONING_MESSAGE_CHUNK':
        return this.chunk('reasoning', fields, writer);
      case 'TEXT_MESSAGE_END':
        return writer.end(this.idIn(fields));
      case 'REASONING_MESSAGE_END':
      case 'THINKING_TEXT_MESSAGE_END':
        return writer.end(`r:${this.idIn(fields)}`);
      case 'REASONING_ENCRYPTED_VALUE':
        return this.seal(fields, writer);
      case 'TOOL_CALL_START':
        return this.beginCall(fields, writer);
      case 'TOOL_CALL_ARGS':
        return this.calls.add(callIdIn(fields), deltaIn(fields), writer);
      case 'TOOL_CALL_CHUNK':
        return this.callChunk(fields, writer);
      case 'TOOL_CALL_END':
        return this.calls.end(callIdIn(fields), writer);
      case 'TOOL_CALL_RESULT':
        this.result(fields, writer);
        this.isTentative = !this.calls.areAnswered;
        return;
      case 'STATE_SNAPSHOT':
        return writer.state(asJson(fields['snapshot']), SOURCE);
      case 'STATE_DELTA':
        return writer.patch(objectsAt(fields, 'delta').map(asObject), SOURCE);
      case 'MESSAGES_SNAPSHOT':
        return this.messages(objectsAt(fields, 'messages'), writer);
      default:
        return this.other(type, fields, writer);
    }
  }

  /** The end of the run, and events beside the messages. */
  private other(type: string, fields: Fields, writer: RemoteWriter): void {
    const failed = type === '' ? bareFailure(fields, this.config.secrets) : undefined;
    if (failed) this.end = failed;
    else if (type === 'RUN_FINISHED') this.finish(fields, writer);
    else if (type === 'RUN_ERROR') {
      const [message, code] = [textAt(fields, 'message') ?? '', textAt(fields, 'code')];
      this.countUsage(fields, writer);
      this.end = { kind: 'failed', error: reportedFailure(message, code, this.config.secrets) };
    } else if (type === 'CUSTOM' && textAt(fields, 'name') === 'run.incomplete') {
      this.incomplete = textAt(objectAt(fields, 'value'), 'code') ?? 'max_output_tokens';
    } else if (type === 'CUSTOM' && textAt(fields, 'name') === OLDER_INTERRUPT) {
      this.suspensions.push(asObject(fields));
      this.newSuspensions.push(asObject(fields));
    } else {
      if (type === 'CUSTOM' && textAt(fields, 'name') === RUN_RECOVERED)
        this.discard(objectAt(fields, 'value'), writer);
      writeExtension(type, fields, writer);
    }
  }

  /** The upstream has lost a worker and goes on without the messages that this one had not finished. */
  private discard(recovered: Fields, writer: RemoteWriter): void {
    const { discardedMessageIds: discarded } = asObject(recovered);
    const ids = Array.isArray(discarded) ? discarded.map(asText) : [];
    writer.discard(new Set(ids.flatMap((id) => [id, `r:${id}`])));
    this.calls.forget(writer);
    this.isTentative = false;
  }

  private beginText(fields: Fields, writer: RemoteWriter): void {
    const role = textAt(fields, 'role') ?? 'assistant';
    const id = this.idIn(fields);
    if (role === 'assistant') {
      if (writer.told(id) === undefined) this.text(id, 'text', '', writer);
    } else {
      this.foreign.add(id);
      this.newlyForeign.push(id);
      writer.emit({ object: 'raw', event: asObject(fields), source: SOURCE });
    }
  }

  private text(key: string, kind: 'text' | 'reasoning', delta: string, writer: RemoteWriter): void {
    if (kind === 'text' && this.foreign.has(key)) return;
    writer.text(key, kind, delta);
    if (kind !== 'text') return;
    this.texts.add(key);
    writer.bind(key, key);
    this.tell(key);
  }

  /** A piece of a message that begins and ends without events of its own. */
  private chunk(kind: 'text' | 'reasoning', fields: Fields, writer: RemoteWriter): void {
    const named = either(fields, 'messageId');
    const before = this.chunks.get(kind);
    const prefix = kind === 'text' ? '' : 'r:';
    const key = named === undefined ? (before ?? `${prefix}${ANONYMOUS}:${this.position}`) : `${prefix}${named}`;
    if (before !== key) {
      this.endChunks(writer);
      this.chunks.set(kind, key);
    }
    this.text(key, kind, deltaIn(fields), writer);
  }

  private endChunks(writer: RemoteWriter): void {
    if (this.chunks.size === 0) return;
    for (const key of this.chunks.values()) writer.end(key);
    this.chunks.clear();
  }

  private beginCall(fields: Fields, writer: RemoteWriter): void {
    const parent = this.calls.begin(callIdIn(fields), fields, writer);
    if (parent !== undefined) this.tell(parent);
  }

  private callChunk(fields: Fields, writer: RemoteWriter): void {
    const named = either(fields, 'toolCallId');
    const before = this.chunks.get('call');
    const key = named === undefined ? before : `call:${named}`;
    if (key === undefined) throw protocolFailure('The remote agent sent a piece of a call without its id');
    if (before !== key) {
      this.endChunks(writer);
      this.chunks.set('call', key);
      if (either(fields, 'toolCallName') !== undefined) this.beginCall(fields, writer);
    }
    this.calls.add(key.slice('call:'.length), deltaIn(fields), writer);
  }

  private result(fields: Fields, writer: RemoteWriter): void {
    const id = callIdIn(fields);
    this.calls.answered(id, writer);
    const isError = objectAt(fields, 'metadata')['isError'] === true;
    const source = either(fields, 'messageId');
    writer.output(id, contentText(fields['content']), { isError, source });
    if (source !== undefined) this.tell(source);
  }

  private seal(fields: Fields, writer: RemoteWriter): void {
    const [id, value] = [either(fields, 'entityId'), either(fields, 'encryptedValue')];
    const key = `r:${id ?? ''}`;
    if (value === undefined || writer.told(key) === undefined) return;
    writer.annotate(key, 'reasoning', { encrypted_content: value });
  }

  /** What a snapshot has beyond what was told: whole messages of the assistant, calls, and results of calls. */
  private messages(messages: readonly Fields[], writer: RemoteWriter): void {
    const texts = [...this.before.texts, ...[...this.texts].map((id) => writer.told(id) ?? '')];
    const isTold = (id: string): boolean => this.told.has(id) || writer.told(id) !== undefined;
    const isEarlier = (id: string): boolean => this.before.ids.has(id);
    for (const one of snapshotNews(messages, { isTold, isEarlier, texts })) {
      if (one.role === 'tool') this.snapshotResult(one, writer);
      else this.snapshotMessage(one, writer);
    }
  }

  private snapshotMessage({ id, content, calls }: SnapshotMessage, writer: RemoteWriter): void {
    for (const call of calls) {
      const callId = textAt(call, 'id') ?? '';
      if (writer.knowsCall(callId) || this.before.calls.has(callId)) continue;
      const inner = objectAt(call, 'function');
      this.beginCall({ toolCallId: callId, toolCallName: textAt(inner, 'name'), parentMessageId: id }, writer);
      this.calls.add(callId, textAt(inner, 'arguments') ?? '{}', writer);
      this.calls.end(callId, writer);
    }
    if (content === '') return;
    this.text(id, 'text', content, writer);
    writer.end(id);
  }

  /** The result of a call of the server's that was not told by itself. */
  private snapshotResult({ id, content, callId, isError }: SnapshotMessage, writer: RemoteWriter): void {
    if (!writer.awaitsResult(callId)) return;
    this.calls.answered(callId, writer);
    writer.output(callId, content, { isError, source: id });
    this.tell(id);
  }

  private countUsage(fields: Fields, writer: RemoteWriter): void {
    for (const one of objectsAt(fields, 'usage')) {
      const usage = usageIn(one);
      if (usage) writer.usage(usage);
    }
  }

  private finish(fields: Fields, writer: RemoteWriter): void {
    this.countUsage(fields, writer);
    const outcome = objectAt(fields, 'outcome');
    const type = textAt(outcome, 'type');
    if (type === 'cancelled' || type === 'canceled') {
      this.end = { kind: 'failed', error: new AppError('UPSTREAM_CANCELED') };
      return;
    }
    const calls = this.calls.all;
    if (type === 'interrupt') askOutcome(objectsAt(outcome, 'interrupts'), { calls, writer });
    else for (const one of askSuspended(this.suspensions, { calls, writer })) writeExtension('CUSTOM', one, writer);
    this.end = this.incomplete === undefined ? { kind: 'completed' } : { kind: 'incomplete', reason: this.incomplete };
  }

  private tell(id: string): void {
    if (this.told.has(id)) return;
    this.told.add(id);
    this.newlyTold.push(id);
  }

  private idIn(fields: Fields): string {
    return either(fields, 'messageId') ?? ANONYMOUS;
  }
}
