import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type AbortLike, Clock } from '../../common/index.js';
import { FirstAbort, LightAbortSignal, TurnoverSet } from '../../runtime/index.js';
import { invalidCredential } from '../access-errors.js';
import type { Caller } from '../identity/caller.js';
import type { Identity } from '../identity/identity.js';
import { Authenticator } from './authenticator.js';

/** How often expiries are looked at. */
const TICK_MS = 1000;
/** How often a credential is looked up. A revocation is noticed twice as late at most (contract access, section 3.6). */
const LOOK_MS = 5000;

/** One credential, and what ends with it. */
interface Watched {
  readonly identity: Identity;
  readonly endings: TurnoverSet<() => void>;
  /** When it was last looked up. */
  lookedAt: number;
}

/**
 * Ends what is open when the credential that opened it expires, is revoked, or its tenant is suspended. One timer
 * for all; one look per credential, however many streams it has opened.
 */
@Injectable()
export class CredentialWatch implements OnApplicationShutdown {
  private readonly logger = new Logger(CredentialWatch.name);
  private readonly watched = new Map<string, Watched>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly authenticator: Authenticator,
    private readonly clock: Clock,
  ) {}

  /**
   * Calls `end` once when the credential of a caller no longer holds; never for a caller without one.
   *
   * @returns how to stop watching; may be called more than once
   */
  watch({ identity }: Pick<Caller, 'identity'>, end: () => void): () => void {
    if (!identity) return () => undefined;
    const key = keyOf(identity);
    const entry = this.watched.get(key) ?? { identity, endings: new TurnoverSet(), lookedAt: this.clock.now() };
    this.watched.set(key, entry);
    entry.endings.add(end);
    this.timer ??= setInterval(() => void this.look(), TICK_MS).unref();
    return () => {
      entry.endings.delete(end);
      if (entry.endings.size > 0 || this.watched.get(key) !== entry) return;
      this.watched.delete(key);
      if (this.watched.size === 0) this.onApplicationShutdown();
    };
  }

  /**
   * Waits for something as long as a credential holds.
   *
   * @param gone aborts when the caller leaves
   * @param work gets a signal that aborts when the caller leaves or the credential ends
   * @throws AppError AUTH_FAILED when the credential ends; what the work throws
   */
  async during<T>(
    caller: Pick<Caller, 'identity'> | undefined,
    gone: AbortLike,
    work: (over: AbortLike) => Promise<T>,
  ): Promise<T> {
    if (!caller?.identity) return work(gone);
    const ended = new LightAbortSignal();
    const unwatch = this.watch(caller, () => ended.abort());
    const first = new FirstAbort([gone, ended]);
    try {
      const result = await work(first.signal);
      if (ended.aborted) throw invalidCredential();
      return result;
    } finally {
      unwatch();
      first.detach();
    }
  }

  /** Whether the credential of a caller holds at this moment. */
  isCurrent(caller: Pick<Caller, 'identity'>): Promise<boolean> {
    return this.authenticator.isCurrent(caller, this.clock.now());
  }

  /** Stops the timer. */
  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Looks at every credential whose time has come. Resolves when what has ended was told. */
  async look(): Promise<void> {
    const now = this.clock.now();
    const due = [...this.watched].filter(([, { identity, lookedAt }]) => {
      return now - lookedAt >= LOOK_MS || (identity.expiresAt !== undefined && identity.expiresAt <= now);
    });
    await Promise.all(due.map(([key, entry]) => this.lookAt(key, entry, now)));
  }

  private async lookAt(key: string, entry: Watched, now: number): Promise<void> {
    // Set before the answer, so that a slow database is not asked again meanwhile.
    entry.lookedAt = now;
    try {
      if (await this.authenticator.isCurrent(entry, now)) return;
    } catch (error) {
      // What was refused cannot be told while nobody can be asked: the streams stay, and are looked at again.
      this.logger.warn(`A credential cannot be checked: ${String(error)}`);
      return;
    }
    if (this.watched.get(key) === entry) this.watched.delete(key);
    for (const end of [...entry.endings]) end();
    if (this.watched.size === 0) this.onApplicationShutdown();
  }
}

/** Tokens of one user that expire at the same time end together. */
function keyOf({ tenantId, actor, expiresAt }: Identity): string {
  return JSON.stringify([tenantId, actor.kind, actor.id, expiresAt]);
}
