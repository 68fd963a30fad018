import { type Agent, type AgentContext, AgentType, ModelLoop, Schedule } from 'parley-server';
import { Reports } from './reports.js';

@AgentType({
  name: 'report',
  description: 'Writes the report of a day.',
  exposure: 'public',
  recovery: 'journal',
})
@Schedule({ cron: '0 6 * * *', timezone: 'Europe/Berlin', input: 'Write the report of today.' })
export class ReportAgent implements Agent {
  constructor(
    private readonly loop: ModelLoop,
    private readonly reports: Reports,
  ) {}

  async *run(context: AgentContext): ReturnType<Agent['run']> {
    // The same in each attempt of a run, also after midnight.
    const day = new Date(context.requestedAt).toISOString().slice(0, 10);
    const outcome = yield* this.loop.run(context, {
      systemPrompt:
        'Write a short report in Markdown about the orders that open_orders returns: how many there are, and which of them are late.',
      situation: `The report is for ${day}.`,
    });
    if (outcome.kind === 'completed') console.log(`Report: ${this.reports.save(day, reportOf(context))}`);
    return outcome;
  }
}

/**
 * The text of the last message. It is read from the response, which also has what an earlier attempt of the run has finished:
 * the loop does not write that again.
 */
function reportOf({ response }: AgentContext): string {
  const { output } = response.getResponseData();
  const message = (output ?? []).filter(({ type, role }) => type === 'message' && role === 'assistant').at(-1);
  return (message?.content ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
}
