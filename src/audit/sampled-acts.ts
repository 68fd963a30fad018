import { createHash } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../common/index.js';
import type { AuditAct } from './audit-act.js';
import { AuditTrail } from './audit-trail.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What is told apart in one minute; further networks are counted together. */
const MOST = 1000;
/** Acts of one day that this process remembers to have written. */
const MOST_KNOWN = 10_000;
const WRITTEN_AT_ONCE = 100;

/** An act that is counted instead of written each time. */
export type SampledAct = AuditAct & { readonly action: 'auth.failed' | 'access.denied' | 'budget.refused' };

interface Counted {
  readonly act: SampledAct;
  count: number;
}

/**
 * Acts that anybody can cause as often as they like: one line for each reason, network and minute, with a count (contract
 * access, section 8). They are counted in memory, and written when the minute is over or the process stops.
 */
@Injectable()
export class SampledActs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('AuditTrail');
  private counted = new Map<string, Counted>();
  private readonly known = new Set<string>();
  private knownDay = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), MINUTE_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Counts an act. Costs no statement. */
  count(act: SampledAct): void {
    const { tenantId, action, by, details } = act;
    const parts = [
      tenantId,
      action,
      details?.['reason'],
      by.actor.kind,
      by.actor.id,
      by.userId,
      by.network,
      act.subject?.id,
    ];
    const known = this.counted.get(JSON.stringify(parts));
    if (known) {
      known.count += 1;
      return;
    }
    const at = this.clock.now();
    if (this.counted.size < MOST) this.counted.set(JSON.stringify(parts), { act: { ...act, at }, count: 1 });
    else
      this.countOther({
        ...act,
        at,
        by: { ...by, actor: { kind: 'none', id: 'several' }, userId: null, network: null },
      });
  }

  /**
   * Writes an act of a key in the name of a user, the first on each day. In the background: the request does not wait.
   *
   * @param act its actor and user tell it apart
   */
  firstOfDay(act: AuditAct & { readonly action: 'acted.as' }): void {
    const day = Math.floor(this.clock.now() / DAY_MS);
    if (day !== this.knownDay || this.known.size >= MOST_KNOWN) this.known.clear();
    this.knownDay = day;
    const { tenantId, by } = act;
    const key = `${tenantId}\n${by.actor.id}\n${by.userId ?? ''}`;
    if (this.known.has(key)) return;
    this.known.add(key);
    const id = createHash('sha256').update(`acted.as\n${day}\n${key}`).digest('hex').slice(0, 36);
    const write = (): Promise<void> => this.trail.recordOnce({ id, expiresAt: (day + 2) * DAY_MS }, act);
    this.writing = this.writing.then(write).catch((error: unknown) => {
      this.known.delete(key);
      this.failed(error);
    });
  }

  /** Writes what was counted. What cannot be written is kept. Never throws. */
  async flush(): Promise<void> {
    const all = [...this.counted.values()];
    this.counted = new Map();
    await this.writing;
    for (let from = 0; from < all.length; from += WRITTEN_AT_ONCE) {
      const some = all.slice(from, from + WRITTEN_AT_ONCE);
      try {
        await this.trail.record(...some.map(({ act, count }) => ({ ...act, details: { ...act.details, count } })));
      } catch (error) {
        this.failed(error);
        for (const one of some)
          if (this.counted.size < MOST) this.counted.set(`again\n${from}\n${this.counted.size}`, one);
      }
    }
  }

  /** With what one line for each reason has in common. */
  private countOther(act: SampledAct): void {
    const key = `other\n${act.tenantId}\n${act.action}\n${JSON.stringify(act.details?.['reason'])}`;
    const known = this.counted.get(key) ?? { act, count: 0 };
    known.count += 1;
    if (this.counted.size < 2 * MOST) this.counted.set(key, known);
  }

  private failed(error: unknown): void {
    this.logger.warn(`Lines of the audit trail could not be written yet: ${String(error)}`);
  }
}
