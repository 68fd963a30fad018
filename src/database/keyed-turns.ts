import { TurnoverMap } from '../runtime/index.js';

/**
 * Turns of operations with the same key: one at a time, first come, first served. Those that would wait for the same lock
 * in the database wait here, without a connection.
 */
export class KeyedTurns {
  /** Those that wait behind the operation that has the turn, by key. */
  private readonly waiting = new TurnoverMap<string, (() => void)[]>();

  /**
   * Undefined if the turn is free; otherwise resolves when it comes. Needs one `release`, unless it throws.
   *
   * @throws Error with PostgreSQL's code for a lock timeout, after `withinMs`
   */
  take(key: string, withinMs: number): Promise<void> | undefined {
    const queue = this.waiting.get(key);
    if (!queue) {
      this.waiting.set(key, []);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        reject(Object.assign(new Error(`Another write held the lock for ${withinMs} ms`), { code: '55P03' }));
      }, withinMs);
      queue.push(begin);
    });
  }

  /** The operation is over. */
  release(key: string): void {
    const next = this.waiting.get(key)?.shift();
    if (next) next();
    else this.waiting.delete(key);
  }
}
