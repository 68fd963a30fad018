import { type Agent, type AgentContext, AgentType, ModelLoop } from 'parley-server';

@AgentType({
  name: 'report',
  description: 'Writes the report of a day.',
  exposure: 'public',
  recovery: 'journal',
})
export class ReportAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, {
      systemPrompt:
        'Write a short report in Markdown about the orders that open_orders returns: how many there are, and which of them are late.',
    });
  }
}
