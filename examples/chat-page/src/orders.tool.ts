import { Matches } from 'class-validator';
import { AgentTool, ToolError } from 'parley-server';

class FindOrderArgs {
  @Matches(/^[A-Z]-\d{4}$/, { message: 'id must look like A-1001' })
  readonly id!: string;
}

/** Stands for the system that knows your orders. */
const ORDERS: Readonly<Record<string, { readonly status: string; readonly arrives: string }>> = {
  'A-1001': { status: 'sent', arrives: 'Friday' },
  'A-1002': { status: 'being packed', arrives: 'Monday' },
};

export class OrdersTool {
  @AgentTool({
    name: 'find_order',
    description: 'Finds an order of the shop by its id, such as A-1001.',
    effects: 'none',
    parameters: FindOrderArgs,
  })
  async find({ id }: FindOrderArgs): Promise<object> {
    const order = ORDERS[id];
    // The model reads this message and can correct itself.
    if (!order) throw new ToolError(`There is no order ${id}`);
    return { id, ...order };
  }
}
