import { type Agent, type AgentContext, AgentType, ModelLoop } from 'parley-server';

@AgentType({
  name: 'handbook',
  description: 'Answers questions about the company handbook: "Search the handbook: how much may a hotel cost?"',
  exposure: 'public',
  recovery: 'journal',
})
export class HandbookAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, {
      systemPrompt:
        'Answer questions about the company. Search the handbook first and use only what it says. Name the file after each statement, such as (travel.md). If the handbook does not answer the question, say so.',
    });
  }
}
