import { Matches } from 'class-validator';
import { AgentTool } from 'parley-server';

class OpenOrdersArgs {
  @Matches(/^\d{4}-\d{2}-\d{2}$/, { message: 'day must look like 2026-11-22' })
  readonly day!: string;
}

/** Stands for the system that knows your orders. */
const ORDERS = [
  { id: 'A-1001', promised: '2026-11-20' },
  { id: 'A-1002', promised: '2026-12-24' },
];

export class OpenOrdersTool {
  @AgentTool({
    name: 'open_orders',
    description: 'Lists the open orders, and which of them are late on a day.',
    effects: 'none',
    parameters: OpenOrdersArgs,
  })
  async list({ day }: OpenOrdersArgs): Promise<object> {
    return ORDERS.map((order) => ({ ...order, late: order.promised < day }));
  }
}
