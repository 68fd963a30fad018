import { Injectable } from '@nestjs/common';
import { RunAnnouncements, type SessionKey } from '../ports/run-announcements.js';

/** Announcements inside this process: runs that another process accepts are not announced here. */
@Injectable()
export class InProcessAnnouncements extends RunAnnouncements {
  private readonly listeners = new Map<string, Set<() => void>>();

  announce(session: SessionKey): void {
    // Accepting is a hot path, and usually no reader waits.
    if (this.listeners.size === 0) return;
    for (const listener of this.listeners.get(keyOf(session)) ?? []) listener();
  }

  subscribe(session: SessionKey, listener: () => void): () => void {
    const key = keyOf(session);
    const listeners = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(key) === listeners) this.listeners.delete(key);
    };
  }

  /** How many sessions have listeners. */
  get size(): number {
    return this.listeners.size;
  }
}

function keyOf({ tenantId, userId, sessionId }: SessionKey): string {
  return JSON.stringify([tenantId, userId, sessionId]);
}
