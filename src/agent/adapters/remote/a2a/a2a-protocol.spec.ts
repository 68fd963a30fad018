import { textOf } from '../../../../events/index.js';
import { TestRun, userMessage } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { stream, UpstreamDouble } from '../../testing/responses-double.js';

describe('a remote agent of A2A', () => {
  it.each(['1.0', '0.3'])(
    'that answers with a message and no task keeps its conversation (version %s)',
    async (version) => {
      const answer = { messageId: 'm', contextId: 'context-1', parts: [{ text: 'Hello.' }] };
      const upstream: UpstreamDouble = await UpstreamDouble.start((response, { method }) => {
        if (method === 'POST') {
          const result = version === '1.0' ? { message: answer } : { kind: 'message', role: 'agent', ...answer };
          stream(response, [{ jsonrpc: '2.0', id: 1, result }]);
          return;
        }
        const { url } = upstream;
        const card =
          version === '1.0'
            ? { supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: version }] }
            : { url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' };
        const body = JSON.stringify({ name: 'a', capabilities: { streaming: true }, skills: [], ...card });
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
      const agent = remoteAgentFor({ type: 'a2a', url: upstream.url });
      const first = new TestRun();
      expect(await first.drive(agent)).toEqual({ kind: 'completed' });
      const history = [...first.context.input, ...first.messages];
      const second = new TestRun({ history, input: [userMessage('Again')], providerStates: first.states });
      expect(await second.drive(agent)).toEqual({ kind: 'completed' });
      expect(second.messages.map(textOf)).toEqual(['Hello.']);
      const messages = upstream.of('POST').map(({ body }) => (body['params'] as { message: object }).message);
      expect(messages[0]).not.toHaveProperty('contextId');
      expect(messages[1]).toMatchObject({ contextId: 'context-1' });
      expect(messages[1]).not.toHaveProperty('taskId');
      await agent.close();
      await upstream.close();
    },
  );
});
