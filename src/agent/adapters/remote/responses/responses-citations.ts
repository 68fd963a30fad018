import type { Fields } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { sourceIn } from './responses-items.js';

/** What the messages of one answer cite, each source once. */
export class Citations {
  private readonly cited = new Map<string, Set<string>>();

  /** Adds a source to a message, unless it has it. @param key of the message at the writer */
  add(key: string, annotation: Fields, writer: RemoteWriter): void {
    const source = sourceIn(annotation);
    if (!source) return;
    const known = JSON.stringify([source.url, source.startIndex, source.endIndex]);
    const cited = this.cited.get(key) ?? new Set();
    this.cited.set(key, cited);
    if (cited.has(known)) return;
    cited.add(known);
    writer.cite(key, source);
  }

  /** A message was taken back. */
  forget(key: string): void {
    this.cited.delete(key);
  }
}
