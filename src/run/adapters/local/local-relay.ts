import { Injectable } from '@nestjs/common';
import { type RelayListener, type RelayMessage, RunRelay } from '../../ports/run-relay.js';
import { TopicListeners } from '../topic-listeners.js';

/** The relay of one process: what others publish does not arrive, so it is always degraded. */
@Injectable()
export class LocalRelay extends RunRelay {
  readonly state = 'degraded';
  private readonly listeners = new TopicListeners();

  onStateChange(): () => void {
    return () => undefined;
  }

  /** How many topics have listeners. */
  get size(): number {
    return this.listeners.size;
  }

  protected send(topic: string, message: RelayMessage): void {
    this.listeners.call(topic, message);
  }

  protected subscribe(topic: string, listener: RelayListener): () => void {
    return this.listeners.add(topic, listener);
  }
}
