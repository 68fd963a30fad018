import { type Agent, type AgentContext, AgentType, ModelLoop } from 'parley-server';

@AgentType({
  name: 'orders',
  description: 'Answers questions about orders: "Where is my order A-1001?"',
  exposure: 'public',
  recovery: 'journal',
})
export class OrdersAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, {
      systemPrompt: 'You answer questions about orders. Look every order up with find_order. Be brief.',
    });
  }
}
