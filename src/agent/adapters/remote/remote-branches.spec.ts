import { TestRun, userMessage } from '../../testing/test-run.js';
import { AgentScopeDouble, replyOf, textEvents } from '../testing/agentscope-double.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { type Answer, framed, openStream, responseEvents, UpstreamDouble } from '../testing/responses-double.js';

type Fields = Readonly<Record<string, unknown>>;

/** What an upstream of each kind is asked for: the name of the conversation, and the texts. */
interface Asked {
  readonly conversation: unknown;
  readonly texts: readonly string[];
}

const textsIn = (value: unknown): string[] => JSON.stringify(value).match(/(One|Two|Hello)\./g) ?? [];
const data = (response: Parameters<Answer>[0], events: readonly object[]): void => {
  openStream(response);
  response.end(framed(events));
};

/** Servers that answer "Hello." and what they read of a request. */
const KINDS: Readonly<Record<string, { readonly answer: Answer; readonly asked: (body: Fields) => Asked }>> = {
  responses: {
    answer: (response) => data(response, responseEvents('resp_1', [['Hello.']])),
    asked: (body) => ({ conversation: body['previous_response_id'], texts: textsIn(body['input']) }),
  },
  'ag-ui': {
    answer: (response) =>
      data(response, [
        { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
        { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
        { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Hello.' },
        { type: 'TEXT_MESSAGE_END', messageId: 'm' },
        { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
      ]),
    asked: (body) => ({ conversation: body['threadId'], texts: textsIn(body['messages']) }),
  },
  'agent-api': {
    answer: (response) =>
      data(response, [
        { object: 'response', status: 'created' },
        {
          object: 'message',
          id: 'm',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ object: 'content', type: 'text', index: 0, text: 'Hello.' }],
        },
        { object: 'response', status: 'completed' },
      ]),
    asked: (body) => ({ conversation: body['session_id'], texts: textsIn(body['input']) }),
  },
  a2a: {
    answer: (response, { body }) => {
      const { contextId = 'c1' } = (body['params'] as { message: Fields }).message;
      data(response, [
        { jsonrpc: '2.0', id: 1, result: { message: { messageId: 'm', contextId, parts: [{ text: 'Hello.' }] } } },
      ]);
    },
    asked: (body) => {
      const { message } = body['params'] as { message: Fields };
      return { conversation: message['contextId'], texts: textsIn(message['parts']) };
    },
  },
};

/** One turn of a session after another one. */
function nextOf(run: TestRun, text: string, sessionId: string): TestRun {
  const history = [...run.context.history, ...run.context.input, ...run.messages];
  const states = new Map([...(run.context.providerStates ?? []), ...run.states]);
  return new TestRun({ history, input: [userMessage(text)], providerStates: states, sessionId });
}

describe('a branch of a conversation with a remote agent that keeps conversations', () => {
  it.each(Object.entries(KINDS))('is one of its own for %s', async (type, { answer, asked }) => {
    const upstream: UpstreamDouble = await UpstreamDouble.start((response, request) => {
      if (request.method === 'POST') return answer(response, request);
      const supportedInterfaces = [{ url: upstream.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
      const body = JSON.stringify({ capabilities: { streaming: true }, supportedInterfaces });
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const agent = remoteAgentFor({ type, url: upstream.url, history: 'remote' });
    const first = new TestRun({ input: [userMessage('One.')] });
    await first.drive(agent);
    const branch = nextOf(first, 'Two.', 'session-2');
    await branch.drive(agent);
    await nextOf(first, 'Two.', 'session-1').drive(agent);
    await nextOf(branch, 'Two.', 'session-2').drive(agent);
    const [one, other, same, later] = upstream.of('POST').map(({ body }) => asked(body));
    expect(one?.texts).toEqual(['One.']);
    expect(same?.texts).toEqual(['Two.']);
    expect(later?.texts).toEqual(['Two.']);
    if (type === 'responses') {
      // Any answer can be gone on with.
      expect(other).toEqual({ conversation: 'resp_1', texts: ['Two.'] });
    } else {
      // A message of A2A has what the user said; others have all of it.
      expect(other?.texts).toEqual(type === 'a2a' ? ['One.', 'Two.'] : ['One.', 'Hello.', 'Two.']);
      if (type === 'a2a')
        expect([one, other, same].map((each) => each?.conversation)).toEqual([undefined, undefined, 'c1']);
      else {
        expect(same?.conversation).toBe(one?.conversation);
        expect(other?.conversation).not.toBe(one?.conversation);
        expect(later?.conversation).toBe(other?.conversation);
      }
    }
    await agent.close();
    await upstream.close();
  });

  it('is a session of its own for agentscope-2', async () => {
    const scope = await AgentScopeDouble.start();
    let replies = 0;
    scope.script = () => {
      const reply = `r${(replies += 1)}`;
      return replyOf(reply, textEvents(reply, `${reply}-0`, ['Hello.']));
    };
    const agent = remoteAgentFor({ type: 'agentscope-2', url: scope.url, agentId: 'friend' });
    const first = new TestRun({ input: [userMessage('One.')] });
    await first.drive(agent);
    await nextOf(first, 'Two.', 'session-2').drive(agent);
    await nextOf(first, 'Two.', 'session-1').drive(agent);
    expect(scope.inputs.map(textsIn)).toEqual([['One.'], ['One.', 'Hello.', 'Two.'], ['Two.']]);
    const kept = [...scope.sessions.values()].map(({ messages }) => textsIn(messages));
    expect(kept).toEqual([
      ['One.', 'Hello.', 'Two.', 'Hello.'],
      ['One.', 'Hello.', 'Two.', 'Hello.'],
    ]);
    await agent.close();
    await scope.close();
  });
});

describe('an upstream of Responses that no longer has the answer before', () => {
  const openai = {
    message: "Previous response with id 'resp_1' not found.",
    type: 'invalid_request_error',
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  };
  const vllm = { message: "Response with id 'resp_1' not found.", type: 'invalid_request_error', code: 404 };

  it.each([
    [400, openai, {}],
    [404, vllm, {}],
    [400, openai, { background: true }],
  ])('gets the whole conversation: %i', async (status, error, more) => {
    const refuse = (response: Parameters<Answer>[0], code: number, body: object): void =>
      void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ error: body }));
    let hasForgotten = false;
    const upstream = await UpstreamDouble.start((response, { body }) => {
      if (hasForgotten && 'previous_response_id' in body) return refuse(response, status, error);
      if (!('background' in more) && 'background' in body)
        return refuse(response, 400, { message: 'Unknown: background' });
      return data(response, responseEvents(hasForgotten ? 'resp_2' : 'resp_1', [['Hello.']]));
    });
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url, history: 'remote', ...more });
    const first = new TestRun({ input: [userMessage('One.')] });
    await first.drive(agent);
    hasForgotten = true;
    const again = remoteAgentFor({ type: 'responses', url: upstream.url, history: 'remote', ...more });
    const next = nextOf(first, 'Two.', 'session-1');
    const before = upstream.seen.length;
    expect(await next.drive(again)).toEqual({ kind: 'completed' });
    const sent = upstream.seen.slice(before).map(({ body }) => [body['previous_response_id'], textsIn(body['input'])]);
    expect(sent[0]).toEqual(['resp_1', ['Two.']]);
    expect(sent.at(-1)).toEqual([undefined, ['One.', 'Hello.', 'Two.']]);
    await agent.close();
    await again.close();
    await upstream.close();
  });
});
