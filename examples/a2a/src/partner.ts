import { type Agent, type AgentContext, type AgentRegistry, beginSubagent, textOf } from 'parley-server';

/** What the user said last, also in a run that goes on after an approval. */
export function lastWords({ history, input }: AgentContext): string {
  const said = [...history, ...input].filter(({ type, role }) => type === 'message' && role === 'user').at(-1);
  return said ? textOf(said) : '';
}

/**
 * Lets the agent of another company answer. It is a remote agent of the configuration, and its part of the run is that of
 * a subagent. What it asks a person for is asked here.
 */
export async function* askPartner(
  name: string,
  context: AgentContext,
  agents: AgentRegistry,
): ReturnType<Agent['run']> {
  const partner = beginSubagent(context, { name, agentType: name });
  const outcome = yield* agents.get(name).agent.run(partner.context);
  if (outcome?.kind !== 'interrupted') partner.finish();
  return outcome;
}
