import type { RelayListener, RelayMessage } from '../ports/run-relay.js';

/** The listeners of this process, by topic. */
export class TopicListeners {
  private readonly listeners = new Map<string, Set<RelayListener>>();

  /** How many topics have listeners. */
  get size(): number {
    return this.listeners.size;
  }

  /** All topics that have listeners. */
  get topics(): Iterable<string> {
    return this.listeners.keys();
  }

  has(topic: string): boolean {
    return this.listeners.has(topic);
  }

  /** Returns a function that removes the listener. */
  add(topic: string, listener: RelayListener): () => void {
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(topic) === listeners) this.listeners.delete(topic);
    };
  }

  call(topic: string, message: RelayMessage): void {
    // Publishing is a hot path, and usually nobody listens.
    if (this.listeners.size === 0) return;
    for (const listener of this.listeners.get(topic) ?? []) listener(message);
  }
}
