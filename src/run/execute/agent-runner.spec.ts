import type { Agent, AgentContext, AgentOutcome } from '../../agent/index.js';
import { type AgentEvent, ResponseBuilder } from '../../events/index.js';
import type { RunWriter } from '../log/run-writer.js';
import { runAgent } from './agent-runner.js';
import { RunStop } from './run-control.js';

const writer = { highWater: () => undefined, has: () => true } as unknown as RunWriter;

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

describe('running an agent', () => {
  const control = (): [AbortController, AgentContext] => {
    const controller = new AbortController();
    return [controller, { signal: controller.signal } as unknown as AgentContext];
  };

  it('the outcome of an agent that ends at the moment of a stop is kept', async () => {
    const [controller, context] = control();
    const agent = doneAgent(() => controller.abort(new RunStop('shutdown')));
    expect(await runAgent(agent, context, writer, () => 1000)).toEqual({ kind: 'completed' });
    expect(controller.signal.aborted).toBe(true);
  });

  it('the outcome of an agent that ended because of a stop is ignored', async () => {
    const [controller, context] = control();
    const agent = doneAgent(
      () => undefined,
      () => controller.abort(new RunStop('shutdown')),
    );
    await expect(runAgent(agent, context, writer, () => 1000)).rejects.toMatchObject({ kind: 'shutdown' });
  });
});

describe('events that an agent yields', () => {
  /** Drives an agent that yields some events, and tells which were written because of it. */
  async function written(events: (response: ResponseBuilder) => AgentEvent[]): Promise<AgentEvent[]> {
    const emitted: AgentEvent[] = [];
    const response = new ResponseBuilder({ sink: () => undefined });
    const agent: Agent = {
      async *run() {
        yield* events(response);
        await Promise.resolve();
      },
    };
    const own = { ...writer, has: () => false, emit: (event: AgentEvent) => emitted.push(event) };
    const context = { signal: new AbortController().signal, response } as unknown as AgentContext;
    await runAgent(agent, context, own as unknown as RunWriter, () => 1000);
    return emitted;
  }

  it('an event of the run’s builder is not written twice, however late it is yielded', async () => {
    const events = (response: ResponseBuilder): AgentEvent[] => {
      const message = response.createMessageBuilder();
      const content = message.createContentBuilder('text');
      const first = content.addTextDelta('a');
      return [response.getResponseData(), content.addTextDelta('b'), content.complete(), message.complete(), first];
    };
    expect(await written(events)).toEqual([]);
  });

  it('an event outside the response is written', async () => {
    const event: AgentEvent = { object: 'custom', name: 'seen', value: 1 };
    expect(await written(() => [event])).toEqual([event]);
  });

  it('an event of another builder fails the run', async () => {
    const foreign = new ResponseBuilder().createMessageBuilder().createContentBuilder('text').addTextDelta('x');
    await expect(written(() => [foreign])).rejects.toMatchObject({ code: 'AGENT_ERROR' });
  });
});
