import { Injectable } from '@nestjs/common';
import { IsNumber, IsPositive, Matches } from 'class-validator';
import { AgentTool, type ToolContext } from 'parley-server';
import { Payments } from './payments.js';

class RefundArgs {
  @Matches(/^[A-Z]-\d{4}$/, { message: 'order must look like A-1001' })
  readonly order!: string;

  @IsNumber()
  @IsPositive()
  readonly amount!: number;
}

@Injectable()
export class RefundTool {
  constructor(private readonly payments: Payments) {}

  // `unsafe`: the call is never repeated, and a person is asked first. The page shows the question with two buttons.
  @AgentTool({
    name: 'refund',
    description: 'Pays an amount in euros back to the customer of an order.',
    effects: 'unsafe',
    parameters: RefundArgs,
  })
  async refund({ order, amount }: RefundArgs, { idempotencyKey }: ToolContext): Promise<string> {
    this.payments.refund(idempotencyKey, { order, amount });
    return `${amount} euros were paid back for order ${order}.`;
  }
}
