import { type Content, isTerminalStatus, type Message } from '../../../events/index.js';
import type { ApprovedCall, ItemStatus, ItemView, McpCallItem } from '../items/item.types.js';
import { approvedItem, itemStatus, mcpItem, outcomeStatus, serverCallId } from '../items/make-item.js';
import { type CallData, callData, callDataOf, outputData } from '../items/tool-data.js';
import { AppendOnlyText, type EventSequencer, type ItemWriter } from './event-sequencer.js';

/** What a writer of calls needs of its response. */
export interface McpSurroundings {
  readonly out: EventSequencer;
  readonly view: ItemView;
}

const NOTHING = { callId: '', name: '', serverLabel: '' };

/**
 * The item of a call that the server makes: announced with the first that is known of it, its arguments
 * as they come, ended by its outcome (contract responses, section A6).
 */
export class McpCallWriter implements ItemWriter {
  private readonly id: string;
  private readonly text = new AppendOnlyText();
  private head: Omit<CallData, 'arguments'> = NOTHING;
  private index = -1;
  /** Set once they are whole. */
  private args: string | undefined;
  private over = false;

  /** @param isHeld nothing is shown before the message is closed: only then is it known whether the call is made */
  constructor(
    private readonly to: McpSurroundings,
    private readonly call: Message,
    private readonly isHeld: boolean,
    id?: string,
  ) {
    this.id = id ?? serverCallId(call);
  }

  get callId(): string {
    return this.head.callId;
  }

  get messageId(): string {
    return this.call.id;
  }

  get isOver(): boolean {
    return this.over;
  }

  content(event: Content): void {
    if (event.type !== 'data' || this.args !== undefined || this.over || this.isHeld) return;
    const data = callDataOf(event.data ?? {}, this.call.type, this.to.view.agentLabel);
    this.head = {
      callId: data.callId || this.head.callId,
      name: data.name || this.head.name,
      serverLabel: this.index < 0 ? data.serverLabel : this.head.serverLabel,
    };
    const isPiece = event.delta === true && !isTerminalStatus(event.status);
    const piece = isPiece ? this.text.append(data.arguments) : this.text.replace(data.arguments);
    if (this.head.callId === '' || this.head.name === '') return;
    this.show(piece);
  }

  /** The call is whole and its outcome is waited for. A call that was cut off is never made. */
  close(message: Message): void {
    if (this.over) return;
    const { arguments: args, ...head } = callData(message, this.to.view.agentLabel);
    this.head = head;
    this.show(this.text.replace(args));
    this.finishArguments(args);
    if (message.status !== 'completed') this.end(itemStatus(message.status, true));
  }

  /** What came of the call. */
  outcome(output: Message): void {
    this.end(outcomeStatus(output, this.to.view), output);
  }

  /** Nothing came of it. */
  cut(): void {
    this.end('incomplete');
  }

  /** Announces the item, with all of its arguments so far, or tells the piece that has come. */
  private show(piece: string): void {
    const isNew = this.index < 0;
    if (isNew) {
      this.index = this.to.out.nextIndex();
      const item = { ...this.item('in_progress'), arguments: '' };
      this.to.out.append('response.output_item.added', { output_index: this.index, item });
      this.write('response.mcp_call.in_progress', {});
    }
    const delta = isNew ? this.text.value : piece;
    if (delta !== '') this.write('response.mcp_call_arguments.delta', { delta });
  }

  private finishArguments(args: string): void {
    if (this.args !== undefined) return;
    this.args = args;
    this.write('response.mcp_call_arguments.done', { arguments: args });
  }

  private end(status: ItemStatus, output?: Message): void {
    if (this.over) return;
    this.over = true;
    if (this.index < 0) return;
    this.finishArguments(this.text.value);
    endWhole(this.to.out, this.index, this.item(status, output));
  }

  private write(type: string, fields: object): void {
    this.to.out.append(type, { item_id: this.id, output_index: this.index, ...fields });
  }

  private item(status: ItemStatus, output?: Message): McpCallItem {
    const call = { ...this.head, arguments: this.args ?? this.text.value };
    return mcpItem(this.id, call, output && outputData(output), status);
  }
}

/** The item of a call that this response's request allowed: it is made first of all. */
export class ApprovedCallWriter {
  private readonly index: number;
  private over = false;

  constructor(
    private readonly to: McpSurroundings,
    readonly approved: ApprovedCall,
  ) {
    this.index = beginWhole(to.out, approvedItem(approved, undefined, to.view));
  }

  get isOver(): boolean {
    return this.over;
  }

  outcome(output: Message): void {
    this.end(approvedItem(this.approved, output, this.to.view));
  }

  cut(): void {
    this.end({ ...approvedItem(this.approved, undefined, this.to.view), status: 'incomplete' });
  }

  private end(item: McpCallItem): void {
    if (this.over) return;
    this.over = true;
    endWhole(this.to.out, this.index, item);
  }
}

/** Shows a call that an earlier run asked a permission for, which another wire gave: it and its outcome together. */
export function writeWhole({ out }: McpSurroundings, item: McpCallItem): void {
  endWhole(out, beginWhole(out, item), item);
}

function beginWhole(out: EventSequencer, item: McpCallItem): number {
  const index = out.nextIndex();
  const place = { item_id: item.id, output_index: index };
  const begun: McpCallItem = { ...item, status: 'in_progress', arguments: '', output: null, error: null };
  out.append('response.output_item.added', { output_index: index, item: begun });
  out.append('response.mcp_call.in_progress', place);
  if (item.arguments !== '') out.append('response.mcp_call_arguments.delta', { ...place, delta: item.arguments });
  out.append('response.mcp_call_arguments.done', { ...place, arguments: item.arguments });
  return index;
}

function endWhole(out: EventSequencer, index: number, item: McpCallItem): void {
  const place = { item_id: item.id, output_index: index };
  if (item.status === 'completed' || item.status === 'failed') out.append(`response.mcp_call.${item.status}`, place);
  out.append('response.output_item.done', { output_index: index, item });
}
