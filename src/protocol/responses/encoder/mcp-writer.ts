import { isTerminalStatus, type Message } from '../../../events/index.js';
import type { ItemView } from '../items/item-view.js';
import type { McpCallItem } from '../items/item.types.js';
import { approvedCallItem, mcpCallItem } from '../items/make-item.js';
import type { EventOut } from './event-out.js';

/** The item of a call that the server makes: shown whole when it is made, and ended by its outcome. */
export class McpCallWriter {
  private readonly index: number;
  private isOver = false;

  constructor(
    private readonly out: EventOut,
    private readonly call: Message,
    private readonly view: ItemView,
    private readonly id: string,
  ) {
    this.index = beginCall(out, this.item(undefined));
  }

  /** What came of the call. */
  outcome(output: Message): void {
    this.end(this.item(output));
  }

  /** Nothing came of it. */
  cut(): void {
    this.end({ ...this.item(undefined), status: 'incomplete' });
  }

  private end(item: McpCallItem): void {
    if (this.isOver) return;
    this.isOver = true;
    endCall(this.out, this.index, item);
  }

  private item(output: Message | undefined): McpCallItem {
    return { ...mcpCallItem(this.call, output, this.view), id: this.id };
  }
}

/** Shows a call that an earlier run asked a permission for: it and its outcome together. */
export function writeApprovedCall(out: EventOut, output: Message, view: ItemView): void {
  const isCut = isTerminalStatus(output.status) && output.status !== 'completed';
  const item = approvedCallItem(output, view);
  endCall(out, beginCall(out, item), isCut ? { ...item, status: 'incomplete' } : item);
}

function beginCall(out: EventOut, item: McpCallItem): number {
  const index = out.nextIndex();
  const place = { item_id: item.id, output_index: index };
  const begun: McpCallItem = { ...item, status: 'in_progress', arguments: '', output: null, error: null };
  out.write('response.output_item.added', { output_index: index, item: begun });
  out.write('response.mcp_call.in_progress', place);
  if (item.arguments !== '') out.write('response.mcp_call_arguments.delta', { ...place, delta: item.arguments });
  out.write('response.mcp_call_arguments.done', { ...place, arguments: item.arguments });
  return index;
}

function endCall(out: EventOut, index: number, item: McpCallItem): void {
  const place = { item_id: item.id, output_index: index };
  if (item.status === 'completed' || item.status === 'failed') out.write(`response.mcp_call.${item.status}`, place);
  out.write('response.output_item.done', { output_index: index, item });
}
