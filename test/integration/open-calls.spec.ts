import { Injectable } from '@nestjs/common';
import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/agent/index.js';
import { AgentTool, type ToolContext } from '../../src/agent/tools/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** Waits until its run is over. */
@Injectable()
class WaitTool {
  started = 0;

  @AgentTool({ name: 'wait', description: 'Waits', effects: 'none', parameters: { type: 'object', properties: {} } })
  wait(_: object, { signal }: ToolContext): Promise<string> {
    this.started += 1;
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  }
}

/** Calls `wait` if it is told to, and otherwise says nothing new. */
class WaitingModel extends ModelClient {
  readonly provider = 'waiting';
  readonly requests: ModelRequest[] = [];

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent[]> {
    this.requests.push(request);
    const last = request.messages.at(-1);
    const isAsked = last?.role === 'user' && JSON.stringify(last.content.at(-1)).includes('Wait');
    yield await Promise.resolve(
      isAsked
        ? [
            { type: 'tool-call-delta', index: 0, id: 'c1', name: 'wait', argumentsDelta: '{}' },
            { type: 'finish', reason: 'tool-calls', usage: null },
          ]
        : [
            { type: 'text-delta', text: 'Done.' },
            { type: 'finish', reason: 'stop', usage: null },
          ],
    );
  }
}

describeOnDatabases('a call whose run ended before it', (database) => {
  let server: TestServer;
  let model: WaitingModel;

  async function start(env: NodeJS.ProcessEnv = {}): Promise<void> {
    model = new WaitingModel();
    server = await startServer({ database, env, model, providers: [WaitTool] });
  }
  afterEach(() => server.close());

  async function post(path: string, body: object): Promise<{ readonly id: string; readonly status: string }> {
    const answer = await fetch(`${server.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string; status: string };
  }
  const told = (): readonly string[] =>
    model.requests.at(-1)?.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : [])) ?? [];

  it('the model is told that the run was stopped', async () => {
    await start();
    const { id: conversation } = await post('conversations', {});
    const { id } = await post('responses', { model: 'worker', conversation, input: 'Wait', background: true });
    await until(() => server.get(WaitTool).started === 1);
    await post(`responses/${id}/cancel`, {});
    await post('responses', { model: 'worker', conversation, input: 'And now?' });
    expect(told()).toEqual(['No result: the run was stopped before the call was finished.']);
  });

  it('the model is told that the run failed', async () => {
    await start({ RUN_TIMEOUT_MS: '3000' });
    const { id: conversation } = await post('conversations', {});
    expect(await post('responses', { model: 'worker', conversation, input: 'Wait' })).toMatchObject({
      status: 'failed',
    });
    await post('responses', { model: 'worker', conversation, input: 'And now?' });
    expect(told()).toEqual(['No result: the run failed before the call was finished.']);
  });
});
