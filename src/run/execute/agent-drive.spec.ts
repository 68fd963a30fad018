import type { Agent, AgentContext, AgentOutcome } from '../../agent/index.js';
import type { RunWriter } from '../live/run-writer.js';
import { driveAgent } from './agent-drive.js';
import { RunStop } from './run-stop.js';

const writer = { crowded: () => undefined, has: () => true } as unknown as RunWriter;

/** An agent that is done with its first step; `then` comes right after that. */
function doneAgent(then: () => void, before: () => void = () => undefined): Agent {
  const next = (): Promise<IteratorResult<undefined, AgentOutcome>> => {
    before();
    const step = Promise.resolve({ done: true as const, value: { kind: 'completed' as const } });
    void step.then(() => undefined).then(then);
    return step;
  };
  return { run: () => ({ next }) } as unknown as Agent;
}

describe('driving an agent', () => {
  const control = (): [AbortController, AgentContext] => {
    const controller = new AbortController();
    return [controller, { signal: controller.signal } as unknown as AgentContext];
  };

  it('keeps the outcome of an agent that was done at the moment of a stop', async () => {
    const [controller, context] = control();
    const agent = doneAgent(() => controller.abort(new RunStop('shutdown')));
    expect(await driveAgent(agent, context, writer, () => 1000)).toEqual({ kind: 'completed' });
    expect(controller.signal.aborted).toBe(true);
  });

  it('takes no outcome from an agent that ended because it was stopped', async () => {
    const [controller, context] = control();
    const agent = doneAgent(
      () => undefined,
      () => controller.abort(new RunStop('shutdown')),
    );
    await expect(driveAgent(agent, context, writer, () => 1000)).rejects.toMatchObject({ kind: 'shutdown' });
  });
});
