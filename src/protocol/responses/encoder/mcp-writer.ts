import { type Content, isTerminalStatus, type Message } from '../../../events/index.js';
import type { ApprovedCall, ItemStatus, ItemView, McpCallItem } from '../items/item.types.js';
import { approvedItem, itemStatus, mcpItem, outputStatus, serverCallId } from '../items/make-item.js';
import { type CallData, callData, callDataOf, outputData } from '../items/tool-data.js';
import { AppendOnlyText, type EventSequencer, type ItemWriter } from './event-sequencer.js';

/** What the writers of the server's calls share. */
export interface ServerCallContext {
  /** Where the events of the response are appended. */
  readonly out: EventSequencer;
  /** Which calls and labels this response shows. */
  readonly view: ItemView;
}

/** The head of a call before its first data has arrived. */
const NOTHING = { callId: '', name: '', serverLabel: '' };

/**
 * Writes a call that the server makes: it begins when its id and name are known, its arguments are written as they
 * grow, and its output ends it (contract responses, section A6).
 */
export class McpCallWriter implements ItemWriter {
  private readonly id: string;
  private readonly text = new AppendOnlyText();
  private head: Omit<CallData, 'arguments'> = NOTHING;
  private index = -1;
  /** Set when they are complete. */
  private args: string | undefined;
  private over = false;

  /** @param isHeld nothing is written before the message is closed: only then is it known whether the call is made */
  constructor(
    private readonly context: ServerCallContext,
    private readonly call: Message,
    private readonly isHeld: boolean,
    id?: string,
  ) {
    this.id = id ?? serverCallId(call);
  }

  /** Empty until the first data of the call has arrived. */
  get callId(): string {
    return this.head.callId;
  }

  /** The id of the message that makes the call, not of its item. */
  get messageId(): string {
    return this.call.id;
  }

  /** True once the item is done; later events of the call are ignored. */
  get isOver(): boolean {
    return this.over;
  }

  /** Appends a piece of the arguments. Pieces after the whole arguments, or of a held call, are ignored. */
  content(event: Content): void {
    if (event.type !== 'data' || this.args !== undefined || this.over || this.isHeld) return;
    const data = callDataOf(event.data ?? {}, this.call.type, this.context.view.agentLabel);
    this.head = {
      callId: data.callId || this.head.callId,
      name: data.name || this.head.name,
      serverLabel: this.index < 0 ? data.serverLabel : this.head.serverLabel,
    };
    const isPiece = event.delta === true && !isTerminalStatus(event.status);
    const piece = isPiece ? this.text.append(data.arguments) : this.text.replace(data.arguments);
    if (this.head.callId === '' || this.head.name === '') return;
    this.appendArguments(piece);
  }

  /** The call is complete, and its output follows. A call whose message is incomplete is not made. */
  close(message: Message): void {
    if (this.over) return;
    const { arguments: args, ...head } = callData(message, this.context.view.agentLabel);
    this.head = head;
    this.appendArguments(this.text.replace(args));
    this.finishArguments(args);
    if (message.status !== 'completed') this.end(itemStatus(message.status, true));
  }

  /** Takes the output of the call, which ends the item. */
  output(output: Message): void {
    this.end(outputStatus(output, this.context.view), output);
  }

  /** Ends the item as incomplete: there is no output. */
  cut(): void {
    this.end('incomplete');
  }

  /** Begins the item, with all of its arguments so far, or appends a piece of them. */
  private appendArguments(piece: string): void {
    const isNew = this.index < 0;
    if (isNew) {
      this.index = this.context.out.nextIndex();
      const item = { ...this.item('in_progress'), arguments: '' };
      this.context.out.append('response.output_item.added', { output_index: this.index, item });
      this.append('response.mcp_call.in_progress', {});
    }
    const delta = isNew ? this.text.value : piece;
    if (delta !== '') this.append('response.mcp_call_arguments.delta', { delta });
  }

  /** Writes `arguments.done` once; the end of the message and the output of the call both ask for it. */
  private finishArguments(args: string): void {
    if (this.args !== undefined) return;
    this.args = args;
    this.append('response.mcp_call_arguments.done', { arguments: args });
  }

  /** Ends the item once. An item that was never announced is not written. */
  private end(status: ItemStatus, output?: Message): void {
    if (this.over) return;
    this.over = true;
    if (this.index < 0) return;
    this.finishArguments(this.text.value);
    endWhole(this.context.out, this.index, this.item(status, output));
  }

  private append(type: string, fields: object): void {
    this.context.out.append(type, { item_id: this.id, output_index: this.index, ...fields });
  }

  private item(status: ItemStatus, output?: Message): McpCallItem {
    const { name, serverLabel } = this.head;
    const call = { name, arguments: this.args ?? this.text.value, serverLabel };
    return mcpItem(this.id, call, output && outputData(output), status);
  }
}

/** Writes a call that the request approved: it is made first. */
export class ApprovedCallWriter {
  private readonly index: number;
  private over = false;

  constructor(
    private readonly context: ServerCallContext,
    readonly approved: ApprovedCall,
  ) {
    this.index = beginWhole(context.out, approvedItem(approved, undefined, context.view));
  }

  get isOver(): boolean {
    return this.over;
  }

  /** Takes the output of the call, which ends the item. */
  output(output: Message): void {
    this.end(approvedItem(this.approved, output, this.context.view));
  }

  /** Ends the item as incomplete: there is no output. */
  cut(): void {
    this.end({ ...approvedItem(this.approved, undefined, this.context.view), status: 'incomplete' });
  }

  private end(item: McpCallItem): void {
    if (this.over) return;
    this.over = true;
    endWhole(this.context.out, this.index, item);
  }
}

/** Writes a call and its output at once: the call is in an earlier run, and another wire approved it. */
export function writeCallWithOutput({ out }: ServerCallContext, item: McpCallItem): void {
  endWhole(out, beginWhole(out, item), item);
}

/** Announces an item whose arguments are known and returns its `output_index`. */
function beginWhole(out: EventSequencer, item: McpCallItem): number {
  const index = out.nextIndex();
  const { id, arguments: args } = item;
  const begun: McpCallItem = { ...item, status: 'in_progress', arguments: '', output: null, error: null };
  out.append('response.output_item.added', { output_index: index, item: begun });
  out.append('response.mcp_call.in_progress', { item_id: id, output_index: index });
  if (args !== '') out.append('response.mcp_call_arguments.delta', { item_id: id, output_index: index, delta: args });
  out.append('response.mcp_call_arguments.done', { item_id: id, output_index: index, arguments: args });
  return index;
}

/** Ends an item. An incomplete call has no terminal event of its own. */
function endWhole(out: EventSequencer, index: number, item: McpCallItem): void {
  const position = { item_id: item.id, output_index: index };
  if (item.status === 'completed' || item.status === 'failed') out.append(`response.mcp_call.${item.status}`, position);
  out.append('response.output_item.done', { output_index: index, item });
}
