import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../../database/index.js';
import type { InterruptKind, InterruptStatus } from '../interrupt.types.js';

/** An interrupt was opened or closed. */
export interface InterruptCause {
  readonly tenantId: string;
  readonly userId: string;
  readonly id: string;
  readonly kind: InterruptKind;
  /** `pending`: it was opened. */
  readonly status: InterruptStatus;
  /** The run that opened it. */
  readonly runRowId: number;
  readonly runId: string;
  readonly sessionId: string;
  readonly toolName: string | null;
  /** JSON text; null for an input. */
  readonly arguments: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Writes what follows from interrupts, in the transaction that commits them. */
export interface InterruptCauseWriter {
  /** True if anybody follows the interrupts of a tenant. */
  wants(tenantId: string): boolean;
  write(tx: Transaction, cause: InterruptCause): Promise<void>;
}

/** The writers of what follows from interrupts. */
@Injectable()
export class InterruptCauses {
  private readonly writers: InterruptCauseWriter[] = [];

  register(writer: InterruptCauseWriter): void {
    this.writers.push(writer);
  }

  /** An interrupt is about to be opened or closed. */
  async written(tx: Transaction, cause: InterruptCause): Promise<void> {
    for (const writer of this.writers) if (writer.wants(cause.tenantId)) await writer.write(tx, cause);
  }
}
