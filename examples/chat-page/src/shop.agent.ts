import { type Agent, type AgentContext, AgentType, ModelLoop } from 'parley-server';

@AgentType({
  name: 'shop',
  description: 'Helps the customers of a shop.',
  exposure: 'public',
  recovery: 'journal',
})
export class ShopAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  // The tools of the page come with its requests, beside those of this project.
  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, {
      systemPrompt:
        'You help the customers of a shop. Look every order up with find_order before you say anything about it, and pay refunds with refund. If a refund is denied, say so and do not try it again.',
    });
  }
}
