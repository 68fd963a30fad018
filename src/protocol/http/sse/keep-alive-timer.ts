import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { TurnoverMap, TurnoverSet } from '../../../runtime/index.js';
import { HttpSettings } from '../http.settings.js';

/** A stream that sends a keep-alive frame after a silence. */
export interface KeepAliveTarget {
  /** The tick at which the stream was last written to; set by the stream from `KeepAliveTimer.tick`. */
  lastTick: number;
  /** Writes the keep-alive frame. */
  ping(): void;
}

/** Slots per keep-alive interval: the resolution with which a silence is noticed. */
const SLOTS = 20;

/**
 * One timer for the keep-alives of all streams. A stream sits in the slot at which its silence would
 * become too long; a write only sets `lastTick`, and the stream moves to its new slot when its slot comes
 * up. A ping is sent after 19/20 of `keepAliveMs` at the earliest and after `keepAliveMs` at the latest.
 */
@Injectable()
export class KeepAliveTimer implements OnModuleDestroy {
  /** Ticks so far. */
  tick = 0;
  /** A ring of slots: one is due at each tick. */
  private readonly slots: TurnoverSet<KeepAliveTarget>[] = Array.from({ length: SLOTS }, () => new TurnoverSet());
  /** Where each target is, so that it can be removed without a search. */
  private readonly slotOf = new TurnoverMap<KeepAliveTarget, TurnoverSet<KeepAliveTarget>>();
  /** Milliseconds between two ticks. */
  private readonly tickMs: number;
  /** Runs only while there are streams. */
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(HttpSettings) settings: Pick<HttpSettings, 'keepAliveMs'>) {
    this.tickMs = Math.max(1, Math.floor(settings.keepAliveMs / SLOTS));
  }

  /** Watches a stream. The timer runs while there is one. */
  add(target: KeepAliveTarget): void {
    target.lastTick = this.tick;
    this.place(target);
    this.timer ??= setInterval(() => this.turn(), this.tickMs).unref();
  }

  /** Forgets a stream. */
  remove(target: KeepAliveTarget): void {
    this.slotOf.get(target)?.delete(target);
    this.slotOf.delete(target);
    if (this.slotOf.size === 0) this.stop();
  }

  /** A timer must not outlive its module. */
  onModuleDestroy(): void {
    this.stop();
  }

  /** One tick: pings the streams that were silent for the whole interval and moves the others on. */
  private turn(): void {
    this.tick += 1;
    const slot = this.slots[this.tick % SLOTS] as TurnoverSet<KeepAliveTarget>;
    for (const target of [...slot]) {
      slot.delete(target);
      if (target.lastTick + SLOTS <= this.tick) {
        target.ping();
        target.lastTick = this.tick;
      }
      if (this.slotOf.has(target)) this.place(target);
    }
  }

  /** Puts a target into the slot at which its silence would be too long. */
  private place(target: KeepAliveTarget): void {
    const slot = this.slots[(target.lastTick + SLOTS) % SLOTS] as TurnoverSet<KeepAliveTarget>;
    slot.add(target);
    this.slotOf.set(target, slot);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
