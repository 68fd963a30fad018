import { type Agent, type AgentContext, AgentType, beginSubagent, ModelLoop } from '../../src/index.js';

@AgentType({ name: 'delegate', description: 'Lets a researcher look first.', exposure: 'public', recovery: 'journal' })
export class DelegateAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const researcher = beginSubagent(context, { name: 'researcher', description: 'Collects the facts' });
    const outcome = yield* this.loop.run(researcher.context, { systemPrompt: 'List the facts, nothing else.' });
    if (outcome.kind === 'interrupted') return outcome;
    researcher.finish();
    const systemPrompt = `Answer in one sentence. What is known:\n${researcher.text()}`;
    return yield* this.loop.run(context, { systemPrompt });
  }
}
