import OpenAI6 from 'openai';
import { ResponsesWS as ResponsesWS6 } from 'openai/resources/responses/ws';
import OpenAI7 from 'openai7';
import { ResponsesWS as ResponsesWS7 } from 'openai7/resources/responses/ws';
import type { ModelRequest } from '../../../src/agent/index.js';
import { finish, ScriptedModelClient, text } from '../../../src/agent/testing/scripted-model-client.js';
import { describeOnDatabases, type TestDatabase } from '../../support/databases.js';
import { startServer } from '../../support/server.js';
import { TcpBalancer } from '../../support/tcp-balancer.js';
import { until } from '../../support/until.js';

/** What the user has said so far. */
function heard({ messages }: ModelRequest): string {
  return messages
    .flatMap((one) => (one.role === 'user' ? one.content : []))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join(' ');
}

describeOnDatabases('the ResponsesWS of openai', (openDatabase) => {
  let database: TestDatabase;
  const model = new ScriptedModelClient((request) =>
    heard(request).endsWith('hold')
      ? [text('Once upon'), { type: 'hang' }]
      : [text(`You said ${heard(request)}`), finish()],
  );

  beforeEach(async () => (database = await openDatabase()));
  afterEach(() => database.drop());

  it.each([
    ['6', OpenAI6, ResponsesWS6],
    ['7', OpenAI7 as unknown as typeof OpenAI6, ResponsesWS7 as unknown as typeof ResponsesWS6],
  ])(
    'version %s reconnects by itself when a server stops, and continues the conversation',
    async (_version, OpenAI, ResponsesWS) => {
      const first = await startServer({ database, model });
      const second = await startServer({ database, model });
      const balancer = await TcpBalancer.start([first.port]);
      const client = new OpenAI({ apiKey: 'any', baseURL: `${balancer.url}/v1`, maxRetries: 0 });
      const socket = new ResponsesWS(client, { reconnect: { initialDelay: 10, onReconnecting: () => undefined } });
      const ids: string[] = [];
      const ended: string[] = [];
      const errors: string[] = [];
      socket.on('error', (error) => errors.push(error.message));
      socket.on('response.created', ({ response }) => ids.push(response.id));
      socket.on('response.completed', ({ response }) => ended.push(response.id));
      try {
        socket.send({ type: 'response.create', model: 'x', input: 'grapes' });
        await until(() => ended.length === 1, 'the first response');
        socket.send({ type: 'response.create', model: 'x', input: 'hold' });
        await until(() => ids.length === 2, 'the response that the shutdown leaves behind');
        balancer.putBack(second.port);
        balancer.takeOut(first.port);
        const reconnected = new Promise((resolve) => socket.on('reconnected', () => resolve(undefined)));
        await first.close();
        await reconnected;
        expect(errors).toEqual([expect.stringContaining('The server is shutting down')]);
        socket.send({ type: 'response.create', model: 'x', input: 'plums', previous_response_id: ids[0] ?? '' });
        await until(() => ended.length === 2, 'the response after the reconnection');
        const { output_text: said } = await client.responses.retrieve(ended[1] ?? '');
        expect(said).toBe('You said grapes plums');
        expect((await client.responses.retrieve(ids[1] ?? '')).status).toBe('in_progress');
      } finally {
        socket.close();
        await balancer.stop();
        await Promise.all([first.close(), second.close()]);
      }
    },
  );
});
