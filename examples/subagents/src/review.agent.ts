import { type Agent, type AgentContext, type AgentOutcome, AgentType, beginSubagent, ModelLoop } from 'parley-server';

/** The reviewers, and what each of them looks at. */
const REVIEWERS = {
  facts: 'You check facts. List claims of the text that are wrong or need a source.',
  clarity: 'You check clarity. List sentences of the text that are hard to understand.',
  tone: 'You check the tone. List words of the text that could offend a reader.',
};

@AgentType({
  name: 'review',
  description:
    'Has a text reviewed from three sides at once, and writes a better version: "The moon landing was in 1970."',
  exposure: 'public',
  recovery: 'journal',
})
export class ReviewAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const reviews = await Promise.all(
      Object.entries(REVIEWERS).map(([name, systemPrompt]) => this.review(context, name, systemPrompt)),
    );
    const found = reviews.map(({ name, text }) => `Findings about ${name}:\n${text}`).join('\n\n');
    return yield* this.loop.run(context, {
      systemPrompt: `Write a better version of the user's text. Correct what the reviewers found.\n\n${found}`,
    });
  }

  /** Runs one reviewer to its end. If it fails, the others continue. */
  private async review(
    context: AgentContext,
    name: string,
    systemPrompt: string,
  ): Promise<{ name: string; text: string }> {
    // The key is the same in every attempt, although the reviewers run in parallel.
    const reviewer = beginSubagent(context, { name, key: name });
    try {
      // A reviewer reads and answers once; it has no tools.
      await outcomeOf(this.loop.run(reviewer.context, { systemPrompt, tools: [], maxSteps: 1 }));
      reviewer.finish();
      return { name, text: reviewer.text() };
    } catch (error) {
      if (context.signal.aborted) throw error;
      reviewer.fail({ code: 'AGENT_ERROR', message: 'The review failed' });
      return { name, text: 'No findings: the review failed.' };
    }
  }
}

async function outcomeOf(steps: AsyncGenerator<unknown, AgentOutcome, void>): Promise<AgentOutcome> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}
