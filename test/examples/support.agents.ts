import { type Agent, type AgentContext, AgentType, ModelLoop } from '../../src/index.js';

/** Looks things up, quickly and at low cost. */
@AgentType({
  name: 'support',
  description: 'Answers questions about orders.',
  exposure: 'public',
  recovery: 'journal',
  tools: ['get_order', 'handbook/*'],
  model: 'fast',
  modelOptions: { temperature: 0.2, maxTokens: 800 },
  maxSteps: 4,
})
export class SupportAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, { systemPrompt: 'You answer questions about orders.' });
  }
}

/** Moves money: it thinks longer, and has the one tool that does it. */
@AgentType({
  name: 'refunds',
  description: 'Decides about refunds.',
  exposure: 'public',
  recovery: 'journal',
  tools: ['get_order', 'refund'],
  model: 'smart',
  modelOptions: { reasoningEffort: 'high' },
})
export class RefundsAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, { systemPrompt: 'You decide about refunds. Read the order first.' });
  }
}
