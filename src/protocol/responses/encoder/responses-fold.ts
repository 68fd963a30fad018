import { assertUnreachable } from '../../../common/index.js';
import {
  type AgentEvent,
  type AgentResponse,
  discardedMessageIds,
  isTerminalEvent,
  isTerminalStatus,
  type LoggedEvent,
  type Message,
  RUN_RECOVERED,
  summaryOf,
} from '../../../events/index.js';
import { compactionItem } from '../items/compaction.js';
import { itemIdOf } from '../items/item-ids.js';
import type { CompactionItem, ItemView, McpListToolsItem } from '../items/item.types.js';
import { approvalRequestItem, serverCallId } from '../items/make-item.js';
import { askedCallId, shownList } from '../items/output-items.js';
import { isOutput, isServerCall } from '../items/tool-data.js';
import { isFurtherWork, type Phase } from '../items/phase.js';
import type { ResponseInfo } from '../response-info.js';
import { bodyOf, cutMessage, type ResponseBody, ResponseJson } from '../response-object.js';
import type { ResponseUsage } from '../response.types.js';
import { type CallWriter, FunctionCallWriter, NamedCall } from './call-writer.js';
import { BARE, EventSequencer, type ModelItemWriter } from './event-sequencer.js';
import { McpCallWriter } from './mcp-writer.js';
import { callOwner, ServerCalls } from './server-calls.js';
import { TextWriter } from './text-writer.js';

/**
 * The Responses view of a run (contract responses, section A6): a fold over its log that returns the events of
 * the stream, numbered from 0 without gaps, with exactly one terminal event.
 *
 * A call of the server and its output are one item. A call that needs an approval is shown as the approval request.
 * In a run that another wire accepted it is unknown which tools the client runs: there a `function_call`, and
 * everything after it, waits until an output of the server or the end of the run shows which of the two it belongs to.
 */
export class ResponsesFold {
  private readonly out: EventSequencer;
  private readonly json: ResponseJson;
  private readonly view: ItemView;
  private readonly calls: ServerCalls;
  /** The writers of open messages, by message id. */
  private readonly writers = new Map<string, TextWriter | CallWriter | NamedCall>();
  private readonly itemCounts = new Map<string, number>();
  /** The ids of messages that have been opened. */
  private readonly seen = new Set<string>();
  private newestId: string | undefined;
  /** The newest message, when it is closed: whether a limit has cut it is known with the next event only. */
  private held: { readonly messageId: string; readonly writer: ModelItemWriter } | undefined;
  private waiting: { readonly call: Message; readonly later: AgentEvent[] } | undefined;
  private response: AgentResponse | undefined;

  /** @param style how the events are written */
  constructor(
    private readonly info: ResponseInfo,
    style = BARE,
  ) {
    this.out = new EventSequencer(style);
    this.json = new ResponseJson(info);
    this.view = { isOver: false, ...info.items };
    this.calls = new ServerCalls({ out: this.out, view: this.view });
  }

  /** The number of the last event; -1 before the first. */
  get lastNumber(): number {
    return this.out.lastNumber;
  }

  /** The terminal event of the log; undefined before. */
  get ended(): AgentResponse | undefined {
    return this.response;
  }

  /** Leaves the first events without their JSON: their reader has them. */
  discardFirst(events: number): void {
    this.out.discardFirst(events);
  }

  /** The events for the next event of the log. */
  next(logged: LoggedEvent): readonly string[] {
    this.take(logged.event);
    return this.out.take();
  }

  /** Holds events back while it is open whether a function call belongs to the client or to the server. */
  private take(event: AgentEvent): void {
    const { waiting } = this;
    if (!waiting) {
      this.apply(event);
      return;
    }
    if (this.calls.isOutputOfShown(event)) {
      this.apply(event);
      return;
    }
    waiting.later.push(event);
    const owner = callOwner(event, waiting.call);
    if (!owner) return;
    this.waiting = undefined;
    if (owner === 'client') this.closeItem(new FunctionCallWriter(this.out, waiting.call), waiting.call);
    if (owner === 'server') this.calls.close(this.calls.begin(waiting.call), waiting.call);
    for (const later of waiting.later) this.take(later);
  }

  private apply(event: AgentEvent): void {
    switch (event.object) {
      case 'content':
        this.writers.get(event.msg_id ?? '')?.content(event);
        break;
      case 'message':
        this.message(event);
        break;
      case 'response':
        this.lifeCycle(event);
        break;
      case 'custom':
        if (event.name === RUN_RECOVERED) this.discard(discardedMessageIds(event));
        break;
      case 'state':
      case 'step':
      case 'activity':
      case 'raw':
      case 'subagent':
      case 'interrupt':
        break;
      default:
        assertUnreachable(event);
    }
  }

  /** Approved calls begin with `response.in_progress`, since they are made before the model is called. */
  private lifeCycle(event: AgentResponse): void {
    if (event.status === 'created') this.begin();
    else if (event.status === 'in_progress') {
      this.lifeCycleEvent('response.in_progress', 'in_progress');
      this.calls.beginApproved();
    } else if (isTerminalEvent(event)) this.end(event);
  }

  private begin(): void {
    const { background } = this.info.echo;
    this.lifeCycleEvent('response.created', background ? 'queued' : 'in_progress');
    if (background) this.lifeCycleEvent('response.queued', 'queued');
  }

  private lifeCycleEvent(type: string, status: 'queued' | 'in_progress'): void {
    this.responseEvent(type, { status });
  }

  private responseEvent(type: string, body: ResponseBody): void {
    if (this.out.isDiscarding) this.out.discard();
    else this.out.appendMembers(type, `"response":${this.json.of(body)}`);
  }

  /** Closes what is open and writes the terminal event. The message that the limit cut is written as incomplete. */
  private end(event: AgentResponse): void {
    this.calls.beginApproved();
    this.release({ cutId: cutMessage(event)?.id, phase: event.status === 'completed' ? 'final_answer' : undefined });
    for (const writer of this.writers.values()) writer.cut();
    this.writers.clear();
    this.calls.cutAll();
    this.response = event;
    const body = bodyOf(this.info, event);
    // SDKs know only these three terminal events, so that of a canceled response is `incomplete`.
    const end = body.status === 'completed' || body.status === 'failed' ? body.status : 'incomplete';
    this.responseEvent(`response.${end}`, body);
  }

  private message(event: Message): void {
    if (!isTerminalStatus(event.status)) {
      if (!this.seen.has(event.id)) this.open(event);
      return;
    }
    // A message that is begun again is a new one.
    this.seen.delete(event.id);
    if (isOutput(event.type)) this.calls.output(event);
    else this.close(event);
  }

  /** Chooses the writer of a message by its type; messages of other types are not shown until they are complete. */
  private open(message: Message): void {
    // What shows nothing of its own may follow the answer.
    if (isFurtherWork(message)) {
      this.release({ phase: 'commentary' });
      this.newestId = message.id;
    }
    this.seen.add(message.id);
    const { type } = message;
    const { clientTools } = this.view;
    // Written when it is whole: there is nothing to stream.
    if (summaryOf(message) !== undefined) return;
    if (type === 'reasoning' || (type === 'message' && message.role === 'assistant')) {
      this.writers.set(message.id, new TextWriter(this.out, message, this.freshId(itemIdOf(message))));
    } else if (isServerCall(type)) this.writers.set(message.id, this.serverCall(message));
    else if (type === 'function_call' && clientTools) {
      const writerOf = (name: string): CallWriter =>
        clientTools.has(name) ? new FunctionCallWriter(this.out, message) : this.serverCall(message);
      this.writers.set(message.id, new NamedCall(writerOf));
    }
  }

  private serverCall(message: Message): McpCallWriter {
    return this.calls.begin(message, this.freshId(serverCallId(message)));
  }

  private close(message: Message): void {
    const writer = this.writers.get(message.id);
    this.writers.delete(message.id);
    if (message.type === 'function_call' && !this.view.clientTools) this.waiting = { call: message, later: [] };
    else if (message.type === 'mcp_list_tools') this.listTools(shownList(message, this.view));
    else if (message.type === 'mcp_approval_request') this.requestApproval(message);
    else if (summaryOf(message) !== undefined) this.compaction(compactionItem(message));
    else if (writer) this.closeItem(writer, message);
  }

  private closeItem(writer: TextWriter | CallWriter | NamedCall, message: Message): void {
    const own = writer instanceof NamedCall ? writer.writerFor(message) : writer;
    if (own instanceof McpCallWriter) {
      this.calls.close(own, message);
      return;
    }
    own.close(message);
    if (message.id === this.newestId) this.held = { messageId: message.id, writer: own };
    else own.finish(false, 'commentary');
  }

  /** Ends the item that is held. @param cutId the message that a limit has cut @param phase of a text */
  private release({ cutId, phase }: { readonly cutId?: string | undefined; readonly phase?: Phase | undefined }): void {
    const { held } = this;
    this.held = undefined;
    held?.writer.finish(held.messageId === cutId, phase);
  }

  private requestApproval(message: Message): void {
    this.calls.approvalRequested(askedCallId(message) ?? '');
    this.wholeItem(approvalRequestItem(message));
  }

  /** What stands for the conversation, announced without its content. */
  private compaction(item?: CompactionItem): void {
    if (!item) return;
    const index = this.out.nextIndex();
    const begun: CompactionItem = { ...item, encrypted_content: '' };
    this.out.append('response.output_item.added', { output_index: index, item: begun });
    this.out.append('response.compaction.compacting', { item_id: item.id, output_index: index });
    this.out.append('response.output_item.done', { output_index: index, item });
  }

  /** The items of a server's tool list: announced without tools, then ended with them. */
  private listTools(items: readonly McpListToolsItem[]): void {
    for (const item of items) {
      const { error: _error, ...rest } = item;
      const index = this.out.nextIndex();
      const position = { item_id: item.id, output_index: index };
      this.out.append('response.output_item.added', { output_index: index, item: { ...rest, tools: [] } });
      this.out.append('response.mcp_list_tools.in_progress', position);
      this.out.append(`response.mcp_list_tools.${item.error === undefined ? 'completed' : 'failed'}`, position);
      this.out.append('response.output_item.done', { output_index: index, item });
    }
  }

  /** An item whose parts are not streamed. */
  private wholeItem(item: object): void {
    const index = this.out.nextIndex();
    this.out.append('response.output_item.added', { output_index: index, item });
    this.out.append('response.output_item.done', { output_index: index, item });
  }

  /** A message that begins again after a recovery is another item, with another id. */
  private freshId(id: string): string {
    const times = (this.itemCounts.get(id) ?? 0) + 1;
    this.itemCounts.set(id, times);
    return times === 1 ? id : `${id}_${times}`;
  }

  /** Ends the items of messages that a recovered run has discarded; the client has them already. */
  private discard(ids: readonly string[]): void {
    // Kept, it may still be the answer.
    if (ids.includes(this.held?.messageId ?? '')) this.release({});
    for (const id of ids) {
      this.seen.delete(id);
      this.writers.get(id)?.cut();
      this.writers.delete(id);
    }
    this.calls.cutAll(ids);
  }
}

/** No model was called, but SDKs require every count in a completed response. */
const NO_USAGE: ResponseUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** The events, as JSON, of a response for which nothing is generated (contract responses, section B1). */
export function preparedEvents(info: ResponseInfo): readonly string[] {
  const out = new EventSequencer();
  const json = new ResponseJson(info);
  const begun = `"response":${json.of({ status: 'in_progress' })}`;
  out.appendMembers('response.created', begun);
  out.appendMembers('response.in_progress', begun);
  const completed = json.of({ status: 'completed', completedAt: info.createdAt, usage: NO_USAGE });
  out.appendMembers('response.completed', `"response":${completed}`);
  return out.take();
}
