import { Injectable } from '@nestjs/common';

/** A payment back to a customer. */
export interface Refund {
  readonly order: string;
  readonly amount: number;
}

/** Stands for the payment provider. Like most of them it ignores a request whose key it has seen. */
@Injectable()
export class Payments {
  private readonly byKey = new Map<string, Refund>();

  /** All refunds, in the order in which they were made. */
  get made(): readonly Refund[] {
    return [...this.byKey.values()];
  }

  /** Pays money back, once for each key. */
  refund(key: string, refund: Refund): void {
    if (!this.byKey.has(key)) this.byKey.set(key, refund);
  }
}
