import type { Content, Message } from '../../../events/index.js';

/** Writes the events of one item while its message grows. */
export interface ItemWriter {
  /** A piece, a whole value or the end of one of its contents. */
  content(event: Content): void;
  /** The message's closing event. The item is over, unless it waits for an outcome. */
  close(message: Message): void;
  /** Ends the item as cut off, for its message no longer counts or nothing more comes. */
  cut(): void;
}
