import type { Json, JsonObject } from '../../../common/index.js';
import {
  type ActivityEvent,
  type AgentEvent,
  type ContentInput,
  type OpenInterrupt,
  RUN_RECOVERED,
  type Usage,
} from '../../../events/index.js';
import { isAttachmentReference } from '../../attachment/index.js';
import type { AskedInterrupt } from '../../interrupt/index.js';
import type { AgentContext, InputQuestion, StateOperation } from '../../agent.js';
import { writeRequest } from '../../loop/approvals.js';
import type { CitedSource } from '../../loop/segment.js';
import { RemoteCalls, type ToldCall } from './remote-calls.js';
import { RemoteQueue, type WholeName } from './remote-queue.js';
import { RemoteCall, RemoteText } from './remote-segments.js';
import { RemoteShared } from './remote-shared.js';
import type { AskedCall, OutputFacts, WriterSetting, WrittenPart } from './remote-writer.types.js';

/** The longest piece of a text in one event, in characters. */
const LONGEST_PIECE = 64 * 1024;
/** How often messages are taken back in one exchange: a server is not lost more often, and each time all are looked through. */
const MOST_DISCARDS = 256;
/** Messages that the end of an exchange writes in one go. */
const WRITTEN_AT_ONCE = 64;

/**
 * Writes what a remote agent sends in our vocabulary (contract gateway, section C). Pieces of an unknown message open it.
 */
export class RemoteWriter {
  /** What waits for a person. */
  asked: readonly AskedInterrupt[] = [];
  readonly questions: InputQuestion[] = [];
  /** How much was written, in characters: texts, arguments, results and contents. */
  written = 0;
  private readonly queue: RemoteQueue;
  private readonly calls: RemoteCalls;
  private readonly shared: RemoteShared;
  private newApprovals: Record<string, string> = {};
  private hasEvents = false;
  private discards = 0;

  constructor(
    private readonly context: AgentContext,
    private readonly setting: WriterSetting,
  ) {
    this.queue = new RemoteQueue(context.response);
    this.calls = new RemoteCalls(context, setting.round, setting.earlier);
    this.shared = new RemoteShared(context, setting.sharesState);
  }

  /** True while no message is half told. */
  get isQuiet(): boolean {
    return this.queue.isEmpty;
  }

  /** True if something was written that no boundary has. */
  get hasNews(): boolean {
    return this.queue.hasNews || this.hasEvents;
  }

  /** The text of a message so far, as it came; undefined if it has not begun. */
  told(key: string): string | undefined {
    return this.queue.told(key);
  }

  /** Appends to a text. @param key identifies the message at the upstream */
  text(key: string, kind: 'text' | 'reasoning' | 'refusal', piece: string): void {
    const segment = this.textAt(key, kind);
    this.written += piece.length;
    for (let at = 0; at < piece.length; at += LONGEST_PIECE) segment.append(piece.slice(at, at + LONGEST_PIECE));
    this.queue.advance();
  }

  /** Adds a source to a text, or metadata, or an image. */
  cite(key: string, source: CitedSource): void {
    this.textAt(key, 'text').cite(source);
  }

  /** Adds to the metadata of a message when it is closed. */
  annotate(key: string, kind: 'text' | 'reasoning', metadata: JsonObject): void {
    this.textAt(key, kind).add(metadata);
  }

  /** Shows an image after the text of a message. */
  image(key: string, url: string): void {
    this.textAt(key, 'text').show(url);
    this.queue.advance();
  }

  /**
   * Begins a call. A repeated one changes nothing.
   *
   * @param key identifies its message
   * @param callId of the upstream
   * @param needsApproval whether a person must approve it
   */
  call(key: string, callId: string, name: string, needsApproval = false): void {
    if (this.queue.has(key)) return;
    const { callId: id, isClient } = this.calls.begin(callId, name);
    const segment = new RemoteCall(id, name, isClient ? 'function_call' : 'plugin_call', needsApproval);
    this.queue.begin(key, segment);
    this.queue.advance();
  }

  /** Appends to the arguments of a call. */
  args(key: string, piece: string): void {
    const segment = this.queue.open(key);
    if (!(segment instanceof RemoteCall)) return;
    segment.append(piece);
    this.written += piece.length;
    this.queue.advance();
  }

  /** Notes the id under which later requests tell a message to the upstream. */
  bind(key: string, messageId: string): void {
    this.queue.bind(key, messageId);
  }

  /** True if the upstream has shown a call with this id. */
  knowsCall(callId: string): boolean {
    return this.calls.get(callId) !== undefined;
  }

  /** True for a call of the upstream's own that has no result yet. @param callId of the upstream */
  awaitsResult(callId: string): boolean {
    const call = this.calls.get(callId);
    return call !== undefined && !call.isClient && !call.hasOutput;
  }

  /** Nothing follows to a message. Unknown ones are no matter. */
  end(key: string): void {
    this.queue.end(key);
  }

  /** Writes the result of a call, once. A call that was not shown is shown first. @param callId of the upstream */
  output(
    callId: string,
    output: string,
    { isError = false, name = 'unknown_tool', source, owner }: OutputFacts = {},
  ): void {
    let call = this.calls.get(callId);
    if (!call) {
      const key = `call:${callId}`;
      this.call(key, callId, name);
      this.args(key, '{}');
      this.end(key);
      call = this.calls.get(callId);
    }
    if (!call || call.hasOutput) return;
    this.calls.answered(callId, call);
    this.written += output.length;
    const { callId: id, name: shown, approvalId, isClient } = call;
    const metadata = {
      ...(approvalId !== undefined && { approval_request_id: approvalId }),
      ...(isError && { is_error: true }),
    };
    const contents: ContentInput[] = [{ type: 'data', data: { call_id: id, name: shown, output } }];
    this.whole(isClient ? 'function_call_output' : 'plugin_call_output', 'tool', contents, metadata, { source, owner });
  }

  /** The result of a call that was approved in an earlier run. False if the upstream asked for no such approval. */
  approvedOutput(approvalId: string, output: string, isError: boolean): boolean {
    const approved = this.calls.approvedBy(approvalId);
    if (approved) this.output(approved.upstreamId, output, { isError });
    return approved !== undefined;
  }

  /**
   * Writes a message of the assistant with whole contents, such as files. Uploads of this server are left out.
   *
   * @param owner the key of the message that it is taken back with
   */
  contents(contents: readonly ContentInput[], owner?: string): void {
    const foreign = contents.filter((one) => !namesUpload(one));
    if (foreign.length === 0) return;
    this.written += JSON.stringify(foreign).length;
    this.whole('message', 'assistant', foreign, {}, { owner });
  }

  /** Asks a person to approve a call. @param id of the upstream's request */
  approval(id: string, call: AskedCall): void {
    const callId = call.callId ?? id;
    if (!this.calls.get(callId)) {
      const key = `call:${callId}`;
      this.call(key, callId, call.name, true);
      this.args(key, call.arguments);
      this.end(key);
    }
    const shown = this.calls.get(callId);
    const { approvalExpiresInMs } = this.setting;
    this.queue.write(
      () => {
        const request = this.context.response.createMessageBuilder('assistant', 'mcp_approval_request');
        const item: OpenInterrupt = {
          id: approvalIdOf(request.id),
          kind: 'approval',
          call_id: shown?.callId ?? callId,
          tool_name: call.name,
          arguments: call.arguments,
          server_label: call.label ?? 'local',
          reason: null,
          message: call.message ?? `The agent wants to call ${call.name}. Is that allowed?`,
          response_schema: null,
          may_edit: false,
          expires_at: Date.now() + approvalExpiresInMs,
        };
        this.newApprovals[item.id] = id;
        writeRequest(request, item);
        this.asked = [...this.asked, { item, key: null }];
        return request.id;
      },
      { key: `approval:${id}` },
    );
  }

  /**
   * Takes back messages that the upstream has discarded: they are told again, under other ids. Those of a boundary stay.
   *
   * @param names their keys, or their ids at the upstream
   */
  discard(names: ReadonlySet<string>): void {
    if (names.size === 0 || this.discards >= MOST_DISCARDS) return;
    this.discards += 1;
    const { messageIds, callIds } = this.queue.discard(names);
    this.calls.forget(new Set(callIds));
    const approvalIds = new Set(messageIds.map(approvalIdOf));
    this.asked = this.asked.filter(({ item }) => !approvalIds.has(item.id));
    for (const id of approvalIds) delete this.newApprovals[id];
    if (messageIds.length > 0) {
      this.context.response.discard(messageIds);
      this.emit({
        object: 'custom',
        name: RUN_RECOVERED,
        value: { upstream: true, discardedMessageIds: [...messageIds] },
      });
    }
    this.queue.advance();
  }

  /** Asks a person for an input, when the exchange has ended. */
  question(question: InputQuestion): void {
    this.questions.push(question);
  }

  /** Replaces the shared state. A state that is too large, or is not shared, is only shown as a raw event. */
  state(snapshot: Json, source: string): void {
    this.changed(this.shared.set(snapshot), source);
  }

  /** Changes the shared state. A patch that does not fit is only shown as a raw event. */
  patch(operations: readonly StateOperation[], source: string): void {
    this.changed(this.shared.patch(operations), source);
  }

  /** Shows an activity, or changes it. A patch that does not fit is only shown as a raw event. */
  activity(event: ActivityEvent, source: string): void {
    this.changed(this.shared.activity(event), source);
  }

  /** Writes an event beside the messages. */
  emit(
    event: Exclude<AgentEvent, { readonly object: 'response' | 'message' | 'content' | 'interrupt' | 'activity' }>,
  ): void {
    this.context.emit(event);
    this.hasEvents = true;
  }

  /** Adds the usage of the whole exchange. */
  usage(usage: Usage): void {
    this.context.response.addUsage(usage);
  }

  /**
   * Ends the exchange: closes everything and answers open calls. Of an answer that is not whole everything is shown, and
   * what is open stays open: the end of the run closes it. Yields where others may go on.
   */
  *finish(isWhole: boolean): Generator<undefined, void, void> {
    if (!isWhole) return this.queue.leave();
    this.queue.endAll();
    const waiting = new Set(this.asked.map(({ item }) => item.call_id));
    for (const [index, upstreamId] of this.calls.unanswered(waiting).entries()) {
      if (index % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) yield;
      this.output(upstreamId, NO_OUTPUT, { isError: true });
    }
  }

  /** Our ids of the calls that the client must answer. */
  get clientCallIds(): readonly string[] {
    return this.calls.ofClient;
  }

  /** The upstream's ids of the messages since the last `takePart`, by ours. */
  get boundMessages(): Readonly<Record<string, string>> {
    return this.queue.sources;
  }

  /** What was written since the last call. */
  takePart(): WrittenPart {
    const part = {
      ...this.queue.takePart(),
      calls: this.calls.take(),
      approvals: this.newApprovals,
      ...this.shared.take(),
      hasEvents: this.hasEvents,
    };
    this.newApprovals = {};
    this.hasEvents = false;
    return part;
  }

  /** Activities that an earlier attempt of this exchange has shown. */
  restoreActivities(events: readonly ActivityEvent[]): void {
    this.shared.restore(events);
  }

  /** Calls that an earlier attempt of this exchange has told. */
  restoreCalls(calls: readonly ToldCall[]): void {
    this.calls.restore(calls);
  }

  private changed(raw: JsonObject | undefined, source: string): void {
    if (raw) this.emit({ object: 'raw', event: raw, source });
    this.hasEvents = true;
  }

  private textAt(key: string, kind: RemoteText['kind']): RemoteText {
    const open = this.queue.open(key);
    if (open instanceof RemoteText) return open;
    const segment = new RemoteText(kind);
    this.queue.begin(key, segment);
    return segment;
  }

  private whole(
    type: 'message' | 'plugin_call_output' | 'function_call_output',
    role: 'assistant' | 'tool',
    contents: readonly ContentInput[],
    metadata: JsonObject,
    name: WholeName,
  ): void {
    this.queue.write(() => {
      const message = this.context.response.createMessageBuilder(role, type);
      message.created();
      message.inProgress();
      for (const content of contents) message.addContent(content);
      message.complete(Object.keys(metadata).length > 0 ? { metadata } : {});
      return message.id;
    }, name);
  }
}

/** The result of a call that the upstream made and has shown no result of. */
const NO_OUTPUT = 'No result: the remote agent has not shown one.';

/** The id of the interrupt whose request is a message. */
function approvalIdOf(messageId: string): string {
  return messageId.replace(/^msg_/, 'apr_');
}

/** Whether the address of a file is that of an upload: whoever reads the message would get it signed. */
function namesUpload(content: ContentInput): boolean {
  const { image_url: image, file_url: file } = content as { readonly image_url?: unknown; readonly file_url?: unknown };
  return [image, file].some((address) => typeof address === 'string' && isAttachmentReference(address));
}
