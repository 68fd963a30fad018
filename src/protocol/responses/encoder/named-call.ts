import type { Content, Message } from '../../../events/index.js';
import { callData, text } from '../items/tool-data.js';
import type { ItemWriter } from './item-writer.js';

/** A call of which it is told by its name who makes it: until then what comes of it is kept. */
export class NamedCall implements ItemWriter {
  private readonly kept: Content[] = [];
  private writer: ItemWriter | undefined;

  /** @param writerOf gives the writer of a call with this name */
  constructor(private readonly writerOf: (name: string) => ItemWriter) {}

  /** Who writes the call, now that its message is whole. */
  chosenBy(message: Message): ItemWriter {
    return this.choose(callData(message, '').name);
  }

  content(event: Content): void {
    if (this.writer) {
      this.writer.content(event);
      return;
    }
    this.kept.push(event);
    const name = event.type === 'data' ? text(event.data?.['name']) : '';
    if (name !== '') this.choose(name);
  }

  close(message: Message): void {
    this.chosenBy(message).close(message);
  }

  cut(): void {
    this.writer?.cut();
  }

  private choose(name: string): ItemWriter {
    if (this.writer) return this.writer;
    const writer = this.writerOf(name);
    this.writer = writer;
    for (const event of this.kept.splice(0)) writer.content(event);
    return writer;
  }
}
