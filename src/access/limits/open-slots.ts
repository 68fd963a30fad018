import { Injectable } from '@nestjs/common';
import { AppError, RETRY_AFTER_SECONDS } from '../../common/index.js';
import { AccessSettings } from '../access.settings.js';
import type { Caller } from '../identity/caller.js';
import { LimitMetrics } from './limit.metrics.js';
import { LimitTable } from './limit-table.js';
import { RequestRates, tooMany } from './request-rates.js';

/** What callers hold open. */
export type SlotKind = 'streams' | 'sockets';

/** How many of a kind this process serves, whoever opened them. */
const OF_PROCESS: Readonly<Record<SlotKind, number>> = { streams: 10_000, sockets: 10_000 };
const NAMES: Readonly<Record<SlotKind, string>> = { streams: 'event streams', sockets: 'WebSockets' };

/** The part of the WebSockets of a tenant that one credential may have. */
const ACTOR_SHARE = 1 / 2;

type Slot = readonly [key: string, limit: number, whose: string];

/** Counts the streams and sockets that callers have open in this process (contract access, section 6). */
@Injectable()
export class OpenSlots {
  private readonly open = new Map<string, number>();

  constructor(
    private readonly settings: AccessSettings,
    private readonly limits: LimitTable,
    private readonly rates: RequestRates,
    private readonly metrics: LimitMetrics,
  ) {}

  /**
   * Takes a slot of the caller and of its tenant; of a WebSocket also one of its credential, with which a program may
   * act for many users. Without authentication there is no limit.
   *
   * @returns gives the slot back; may be called more than once
   * @throws AppError RATE_LIMIT_EXCEEDED
   */
  take(caller: Caller, kind: SlotKind): () => void {
    if (!this.settings.isAuthenticated) return () => undefined;
    const slots = this.slotsOf(caller, kind);
    for (const [key, limit, whose] of slots) {
      if ((this.open.get(key) ?? 0) < limit) continue;
      this.metrics.rejections.with(kind).add();
      throw new AppError('RATE_LIMIT_EXCEEDED', `${whose} may have ${limit} open ${NAMES[kind]}`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    for (const [key] of slots) this.add(key, 1);
    let isTaken = true;
    return () => {
      if (isTaken) for (const [key] of slots) this.add(key, -1);
      isTaken = false;
    };
  }

  /**
   * Takes a slot for a WebSocket. Its upgrade counts as a request.
   *
   * @returns gives the slot back
   * @throws AppError RATE_LIMIT_EXCEEDED
   */
  async openSocket(caller: Caller): Promise<() => void> {
    const decision = await this.rates.count(caller, 'caller');
    if (decision?.allowed === false) throw tooMany('Too many requests', decision);
    return this.take(caller, 'sockets');
  }

  private slotsOf(caller: Caller, kind: SlotKind): readonly Slot[] {
    const { tenantId, userId } = caller.principal;
    const { user, tenant } = this.limits.current(tenantId);
    const slots: Slot[] = [
      [kind, OF_PROCESS[kind], 'The server'],
      [`${kind} user ${tenantId.length}.${tenantId}${userId}`, user[kind], 'A user'],
      [`${kind} tenant ${tenantId}`, tenant[kind], 'A tenant'],
    ];
    if (kind === 'streams') return slots;
    const { actor } = caller;
    const ofActor = Math.max(user[kind], Math.floor(tenant[kind] * ACTOR_SHARE));
    return [...slots, [`${kind} actor ${JSON.stringify([tenantId, actor.kind, actor.id])}`, ofActor, 'A credential']];
  }

  private add(key: string, change: number): void {
    const count = (this.open.get(key) ?? 0) + change;
    if (count > 0) this.open.set(key, count);
    else this.open.delete(key);
  }
}
