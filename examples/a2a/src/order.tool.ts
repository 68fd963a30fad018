import { Injectable } from '@nestjs/common';
import { Matches } from 'class-validator';
import { AgentTool } from 'parley-server';

class OrderArgs {
  @Matches(/^[A-Z]-\d{4}$/, { message: 'order must look like A-1001' })
  readonly order!: string;
}

/** Stands for the orders of the shop. */
const ORDERS: Readonly<Record<string, string>> = {
  'A-1001': '3 lamps for Dana, to be sent on Thursday',
  'A-1002': '1 chair for Kim, sent',
};

@Injectable()
export class OrderTool {
  @AgentTool({
    name: 'order_status',
    description: 'Tells what an order contains, and what its status is.',
    effects: 'none',
    parameters: OrderArgs,
  })
  async find({ order }: OrderArgs): Promise<string> {
    return ORDERS[order] ?? `There is no order ${order}.`;
  }
}
