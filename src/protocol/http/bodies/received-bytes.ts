import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../access/index.js';
import { type ByteAccount, ByteBudget, type ByteHold } from '../../../common/index.js';
import { MIB } from '../../../config/index.js';
import { HttpSettings } from '../http.settings.js';

/** What all clients together may have the server hold, in bytes: at least, and in largest bodies. */
const TOTAL_BYTES = 256 * MIB;
const TOTAL_BODIES = 8;
/** The parts of it for one tenant and for one credential. */
const TENANT_SHARE = 1 / 2;
const ACTOR_SHARE = 1 / 4;

/** Who holds bytes; nobody known without authentication. */
export type ByteOwner = Pick<Caller, 'tenantId' | 'actor' | 'identity'> | undefined;

/**
 * Bounds the memory of what clients have sent and the server has not taken on yet (contract access, section 6): bodies
 * and messages while they arrive or wait, and the conversations that WebSockets remember.
 */
@Injectable()
export class ReceivedBytes {
  /** The bytes of all that is too small to be counted while it arrives. */
  static readonly SMALL = 64 * 1024;
  private readonly received = new ByteBudget();
  private readonly remembered = new ByteBudget();
  private readonly total: number;

  constructor({ bodyLimitBytes }: HttpSettings) {
    this.total = Math.max(TOTAL_BYTES, TOTAL_BODIES * bodyLimitBytes);
  }

  /** Room for a body or a message; its sender waits for it. */
  receive(owner: ByteOwner, bytes: number): ByteHold {
    return this.received.take(this.accounts(owner), bytes);
  }

  /** Room for what a connection keeps after its answers; undefined if there is none. */
  remember(owner: ByteOwner, bytes: number): ByteHold | undefined {
    return this.remembered.tryTake(this.accounts(owner), bytes);
  }

  private accounts(owner: ByteOwner): readonly ByteAccount[] {
    const all = { key: 'all', limit: this.total };
    if (!owner?.identity) return [all];
    const { tenantId, actor } = owner;
    return [
      { key: JSON.stringify([tenantId, actor.kind, actor.id]), limit: this.total * ACTOR_SHARE },
      { key: JSON.stringify([tenantId]), limit: this.total * TENANT_SHARE },
      all,
    ];
  }
}
