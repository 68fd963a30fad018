import { type Agent, type AgentContext, AgentRegistry, AgentType, ModelLoop } from 'parley-server';
import { askPartner, lastWords } from './partner.js';

@AgentType({
  name: 'shop',
  description: 'Answers customers: "What is the status of order A-1001?", "How many lamps are in stock?"',
  exposure: 'public',
  recovery: 'journal',
  skills: [{ id: 'orders', name: 'Orders', description: 'Knows the orders of the shop.', tags: ['orders'] }],
})
export class ShopAgent implements Agent {
  constructor(
    private readonly loop: ModelLoop,
    private readonly agents: AgentRegistry,
  ) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    // The warehouse belongs to another company, with a Parley of its own.
    if (/stock|reserve/i.test(lastWords(context))) return askPartner('warehouse', context, this.agents);
    return this.loop.run(context, { systemPrompt: 'You answer the customers of a shop. Look orders up.' });
  }
}
