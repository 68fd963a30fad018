import { type Agent, type AgentContext, AgentType, ModelLoop } from 'parley-server';

@AgentType({
  name: 'refunds',
  description: 'Pays money back to customers: "Refund 200 euros for order A-1001"',
  exposure: 'public',
  recovery: 'journal',
})
export class RefundsAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, {
      systemPrompt:
        'You pay refunds with the tool refund. Ask for the order and the amount if they are missing. If a refund is denied, say why.',
    });
  }
}
