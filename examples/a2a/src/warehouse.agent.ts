import { type Agent, type AgentContext, AgentRegistry, AgentType, ModelLoop } from 'parley-server';
import { askPartner, lastWords } from './partner.js';

@AgentType({
  name: 'warehouse',
  description: 'Knows what is in stock, and reserves it: "Reserve 3 lamps"',
  exposure: 'public',
  recovery: 'journal',
  skills: [{ id: 'stock', name: 'Stock', description: 'Knows and reserves what is in stock.', tags: ['stock'] }],
})
export class WarehouseAgent implements Agent {
  constructor(
    private readonly loop: ModelLoop,
    private readonly agents: AgentRegistry,
  ) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    // Only the shop knows its orders.
    if (/\border\b/i.test(lastWords(context))) return askPartner('shop', context, this.agents);
    return this.loop.run(context, {
      systemPrompt: 'You answer for a warehouse. Look the stock up; reserve if asked to.',
    });
  }
}
