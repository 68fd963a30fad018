import type { JsonObject } from '../../../common/index.js';
import { type Content, isTerminalStatus, type Message } from '../../../events/index.js';
import { itemIdOf } from '../items/item-ids.js';
import type { FunctionCallItem, ItemStatus } from '../items/item.types.js';
import { itemStatus } from '../items/make-item.js';
import { callData, type CallData, callDataOf, text } from '../items/tool-data.js';
import { AppendOnlyText, type EventSequencer, type ItemWriter, type ModelItemWriter } from './event-sequencer.js';
import type { McpCallWriter } from './mcp-writer.js';

/** Writes a call of a tool that the client runs, with its arguments as they grow. */
export class FunctionCallWriter implements ModelItemWriter {
  private index = -1;
  private readonly text = new AppendOnlyText();
  private head: Pick<CallData, 'callId' | 'name'> = { callId: '', name: '' };
  private isAnnounced = false;
  /** Set when the arguments are complete. */
  private closed: ItemStatus | undefined;
  private whole = '';
  private isOver = false;

  constructor(
    private readonly out: EventSequencer,
    private readonly message: Message,
    private readonly id = itemIdOf(message),
  ) {}

  /** Streams the arguments. Nothing is written before the name and the id of the call are known. */
  content(event: Content): void {
    if (event.type !== 'data' || this.closed !== undefined) return;
    const data: JsonObject = event.data ?? {};
    const call = callDataOf(data, this.message.type, '');
    this.head = { callId: call.callId || this.head.callId, name: call.name || this.head.name };
    this.announce();
    const isPiece = event.delta === true && !isTerminalStatus(event.status);
    this.appendDelta(isPiece ? this.text.append(call.arguments) : this.text.replace(call.arguments));
  }

  /** Writes the rest of the arguments and `done`; the item stays open until `finish`. */
  close(message: Message): void {
    const call = callData(message, '');
    const whole = message.content === null ? this.text.value : call.arguments;
    this.head = { callId: call.callId || this.head.callId, name: call.name || this.head.name };
    this.announce();
    if (!this.isAnnounced) return;
    this.appendDelta(this.text.replace(whole));
    this.writeDone(itemStatus(message.status, true), whole);
  }

  /** Ends a call whose message will not be completed. */
  cut(): void {
    if (this.isAnnounced) this.writeDone('incomplete', this.text.value);
    this.finish(true);
  }

  /** Ends the item once, as incomplete if it was cut. */
  finish(isCut: boolean): void {
    if (this.closed === undefined || this.isOver) return;
    this.isOver = true;
    const item = this.item(isCut ? 'incomplete' : this.closed, this.whole);
    this.out.append('response.output_item.done', { output_index: this.index, item });
  }

  /** Announces the item as soon as its name and call id are known, with the arguments so far. */
  private announce(): void {
    const { name, callId } = this.head;
    if (this.isAnnounced || name === '' || callId === '') return;
    this.isAnnounced = true;
    this.index = this.out.nextIndex();
    this.out.append('response.output_item.added', { output_index: this.index, item: this.item('in_progress', '') });
    if (this.text.value !== '') this.append('delta', { delta: this.text.value });
  }

  private appendDelta(delta: string): void {
    if (delta !== '' && this.isAnnounced) this.append('delta', { delta });
  }

  /** Writes `arguments.done` once and keeps the status for `finish`. */
  private writeDone(status: ItemStatus, whole: string): void {
    if (this.closed !== undefined) return;
    this.closed = status;
    this.whole = whole;
    this.append('done', { arguments: whole, name: this.head.name });
  }

  private append(kind: 'delta' | 'done', fields: object): void {
    const event = { item_id: this.id, output_index: this.index, ...fields };
    this.out.append(`response.function_call_arguments.${kind}`, event);
  }

  private item(status: ItemStatus, text: string): FunctionCallItem {
    const { callId, name } = this.head;
    return { id: this.id, type: 'function_call', status, call_id: callId, name, arguments: text };
  }
}

/** The writer of a call: of a client's tool, or of one of the server's. */
export type CallWriter = FunctionCallWriter | McpCallWriter;

/** A call whose name tells which kind of tool it is for: until the name is known, its contents are kept. */
export class NamedCall implements ItemWriter {
  private readonly kept: Content[] = [];
  private writer: CallWriter | undefined;

  /** @param writerOf makes the writer of a call with this name */
  constructor(private readonly writerOf: (name: string) => CallWriter) {}

  /** The writer of the call, now that its message is complete. */
  writerFor(message: Message): CallWriter {
    return this.choose(callData(message, '').name);
  }

  /** Keeps the contents until one of them names the tool, which decides the writer. */
  content(event: Content): void {
    if (this.writer) {
      this.writer.content(event);
      return;
    }
    this.kept.push(event);
    const name = event.type === 'data' ? text(event.data?.['name']) : '';
    if (name !== '') this.choose(name);
  }

  /** Chooses the writer at the latest here, since a complete message has a name. */
  close(message: Message): void {
    this.writerFor(message).close(message);
  }

  /** Without a writer nothing was announced, so nothing has to be ended. */
  cut(): void {
    this.writer?.cut();
  }

  private choose(name: string): CallWriter {
    if (this.writer) return this.writer;
    const writer = this.writerOf(name);
    this.writer = writer;
    for (const event of this.kept.splice(0)) writer.content(event);
    return writer;
  }
}
