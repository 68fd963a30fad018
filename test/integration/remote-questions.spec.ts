import { type Answer, framed, openStream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { textOf } from '../../src/events/index.js';
import { describeOnLedgers } from '../support/ledger.js';
import { askedIn, Person } from '../support/remote-person.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';

type Frame = Readonly<Record<string, unknown>>;

const completed = { state: 'completed', error: null };
const texts = ({ last }: EndedRun): string[] => (last.output ?? []).map(textOf);

/** Servers that ask more than one thing: one after the other, together, or what was answered elsewhere meanwhile. */
describeOnLedgers('questions of remote agents of A2A', (ledger) => {
  let upstream: UpstreamDouble;
  let gateway: RunDriver;
  let answer: Answer;

  beforeAll(async () => {
    upstream = await UpstreamDouble.start((response, request) => answer(response, request));
    const { url } = upstream;
    const agents = {
      'a2a-rpc': { type: 'a2a', url, binding: 'JSONRPC' },
      'a2a-http': { type: 'a2a', url, binding: 'HTTP+JSON' },
    };
    gateway = await RunDriver.start(ledger(), { env: { REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  beforeEach(() => {
    upstream.seen.length = 0;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const person = async (agentType: string): Promise<Person> => new Person(gateway, await gateway.run({ agentType }));

  const ids = { taskId: 't1', contextId: 'c1' };
  const words = (text: string) => ({ messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] });
  const status = (state: string, message?: object): Frame => ({
    statusUpdate: { ...ids, status: { state: `TASK_STATE_${state}`, ...(message && { message }) } },
  });
  const asks = (text: string): Frame => status('INPUT_REQUIRED', words(text));
  const asksFor = (...data: object[]): Frame =>
    status('INPUT_REQUIRED', { ...words(''), parts: data.map((one) => ({ data: one })) });
  const artifact = (text: string, more: object = {}): Frame => ({
    artifactUpdate: { ...ids, artifact: { artifactId: 'a1', parts: [{ text }] }, ...more },
  });
  const task = (state: string, artifacts: object[] = [], message?: object): Frame => ({
    task: {
      id: 't1',
      contextId: 'c1',
      status: { state: `TASK_STATE_${state}`, ...(message && { message }) },
      artifacts,
    },
  });
  const said = (artifactId: string, ...parts: object[]): object => ({ artifactId, parts });
  const UNSUPPORTED: Frame = {
    error: {
      code: -32004,
      message: 'no',
      data: [{ reason: 'UNSUPPORTED_OPERATION' }],
      details: [{ reason: 'UNSUPPORTED_OPERATION' }],
    },
  };

  const OPERATIONS: Readonly<Record<string, string>> = {
    SendStreamingMessage: 'send',
    'message:stream': 'send',
    SubscribeToTask: 'subscribe',
    'tasks/t1:subscribe': 'subscribe',
    GetTask: 'get',
    'tasks/t1': 'get',
  };
  /** What was asked of the server, beside its card. */
  const operations = (): string[] =>
    upstream.seen
      .filter(({ path }) => !path.includes('.well-known'))
      .map(({ path, body }) => {
        const name =
          typeof body['method'] === 'string' ? body['method'] : path.replace(/^\/rest\//, '').replace(/\?.*/, '');
        return OPERATIONS[name] ?? name;
      });
  /** The parts of each message that the server got, and its task. */
  const messages = () =>
    upstream.seen.flatMap(({ body }) => {
      const { message } = (body['params'] ?? body) as { message?: { parts: object[]; taskId?: string } };
      return message ? [message] : [];
    });
  const parts = () => messages().map((message) => message.parts);

  /** Answers each operation with its next frames; a single error is refused as the binding does it. */
  function server(scripts: Readonly<Record<string, readonly (readonly Frame[])[]>>): void {
    const counts: Record<string, number> = {};
    answer = (response, { path, headers, body }) => {
      if (path.includes('.well-known')) {
        const url = `http://${String(headers.host)}`;
        const supportedInterfaces = [
          { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        ];
        const card = { capabilities: { streaming: true }, supportedInterfaces };
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
      }
      const operation = operations().at(-1) ?? '';
      const count = (counts[operation] = (counts[operation] ?? 0) + 1);
      const frames = scripts[operation]?.[count - 1] ?? [{ error: { code: -32603, message: 'unexpected' } }];
      const [first] = frames;
      const isRpc = body['jsonrpc'] === '2.0';
      const framedAs = (frame: Frame): object => {
        if (!isRpc) return frame;
        return { jsonrpc: '2.0', id: body['id'], ...('error' in frame ? frame : { result: frame }) };
      };
      if (!isRpc && first && 'error' in first) {
        return void response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(first));
      }
      if (operation === 'get') {
        const one = framedAs((first?.['task'] ?? first) as Frame);
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(one));
      }
      openStream(response);
      response.end(framed(frames.map(framedAs)));
    };
  }

  it('one after the other are asked one after the other, whatever was answered before', async () => {
    server({
      send: [[asks('Where to?')], [asks('When?')], [asks('When?')], [artifact('Booked.'), status('COMPLETED')]],
    });
    const alice = await person('a2a-rpc');
    expect(askedIn(await alice.open())).toEqual([['input', 'Where to?']]);
    await alice.answer({ payload: 'Paris' });
    expect(askedIn(await alice.open())).toEqual([['input', 'When?']]);
    await alice.answer({ status: 'cancelled' });
    expect(askedIn(await alice.open())).toEqual([['input', 'When?']]);
    const ended = await alice.answer({ payload: 'On Monday' });
    expect(ended.view).toMatchObject(completed);
    expect(texts(ended)).toEqual(['Booked.']);
    expect(parts().slice(1)).toEqual([[{ text: 'Paris' }], [{ text: 'No answer.' }], [{ text: 'On Monday' }]]);
    expect(messages().map(({ taskId }) => taskId)).toEqual([undefined, 't1', 't1', 't1']);
  });

  it('are answered by their ids, of any length', async () => {
    const id = 'q'.repeat(300);
    server({ send: [[asksFor({ type: 'input_request', id, message: 'When?' })], [status('COMPLETED')]] });
    const alice = await person('a2a-rpc');
    expect((await alice.answer({ payload: 'On Monday' })).view).toMatchObject(completed);
    expect(parts()[1]).toEqual([{ data: { type: 'input', id, value: 'On Monday' } }]);
  });

  it('do not bring decisions along that were told before', async () => {
    const approval = { type: 'approval_request', id: 'p1', tool: 'pay', arguments: { amount: 5 } };
    server({ send: [[asksFor(approval)], [asks('When?')], [status('COMPLETED', words('Done.'))]] });
    const alice = await person('a2a-rpc');
    await alice.answer({ approve: true });
    const ended = await alice.answer({ payload: 'On Monday' });
    expect(texts(ended)).toEqual(['Done.']);
    expect(parts().slice(1)).toEqual([
      [{ data: { type: 'approval', id: 'p1', approved: true } }],
      [{ text: 'On Monday' }],
    ]);
  });

  it('that come with an approval wait for its decision, and are answered with it', async () => {
    const approval = { type: 'approval_request', id: 'p1', tool: 'pay', arguments: { amount: 5 }, message: 'Pay?' };
    const input = { type: 'input_request', id: 'q1', message: 'When?' };
    server({ send: [[asksFor(approval, input)], [status('COMPLETED', words('Done.'))]] });
    const alice = await person('a2a-rpc');
    expect(askedIn(await alice.open())).toEqual([['approval', 'Pay?']]);
    await alice.answer({ approve: true });
    expect(askedIn(await alice.open())).toEqual([['input', 'When?']]);
    expect(messages()).toHaveLength(1);
    expect(texts(await alice.answer({ payload: 'On Monday' })).at(-1)).toBe('Done.');
    expect(messages()[1]).toMatchObject({
      taskId: 't1',
      parts: [
        { data: { type: 'approval', id: 'p1', approved: true } },
        { data: { type: 'input', id: 'q1', value: 'On Monday' } },
      ],
    });
  });

  describe.each([
    ['a question', asks('When?'), { payload: 'On Monday' }],
    ['an approval', asksFor({ type: 'approval_request', id: 'p1', tool: 'pay', arguments: {} }), { approve: true }],
  ])('go on with what the task had said: after %s', (_, question, given) => {
    const FILE = { url: 'https://example.org/map.png', filename: 'map.png' };
    const before = [
      artifact('One moment.', { lastChunk: true }),
      { artifactUpdate: { ...ids, artifact: said('a2', { text: 'Half ' }) } },
      { artifactUpdate: { ...ids, artifact: said('a3', FILE) } },
      { artifactUpdate: { ...ids, artifact: said('a4', { text: 'Draft' }) } },
      question,
    ];
    const again = [said('a1', { text: 'One moment.' }), said('a3', FILE)];

    it('is not shown again', async () => {
      const snapshot = task('WORKING', [...again, said('a2', { text: 'Half ' }), said('a4', { text: 'Draft' })]);
      server({ send: [before, [snapshot, status('COMPLETED', words('Booked.'))]] });
      const alice = await person('a2a-rpc');
      const ended = await alice.answer(given);
      expect(ended.view).toMatchObject(completed);
      expect((ended.last.output ?? []).filter(({ type }) => type === 'message').map(textOf)).toEqual(['Booked.']);
    });

    it('is shown as far as it is new', async () => {
      const more = [said('a2', { text: 'Half a pound.' }), said('a4', { text: 'Final.' })];
      server({ send: [before, [task('WORKING', again), task('COMPLETED', [...again, ...more])]] });
      const alice = await person('a2a-rpc');
      const ended = await alice.answer(given);
      expect((ended.last.output ?? []).filter(({ type }) => type === 'message').map(textOf)).toEqual([
        'a pound.',
        'Final.',
      ]);
    });
  });

  describe.each(['a2a-rpc', 'a2a-http'])('over %s', (agent) => {
    const whole = [said('a1', { text: 'Booked.' })];

    it('that are answered elsewhere only bring the task back', async () => {
      const auth = status('AUTH_REQUIRED', words('Log in at example.org.'));
      server({
        send: [[auth]],
        subscribe: [[task('AUTH_REQUIRED', [], words('Log in!'))], [task('COMPLETED', whole)]],
      });
      const alice = await person(agent);
      expect(askedIn(await alice.open())).toEqual([['input', 'Log in at example.org.']]);
      await alice.answer({ payload: 'I have.' });
      expect(askedIn(await alice.open())).toEqual([['input', 'Log in!']]);
      const ended = await alice.answer({ payload: 'Now I have.' });
      expect(ended.view).toMatchObject(completed);
      expect(texts(ended)).toEqual(['Booked.']);
      expect(operations()).toEqual(['send', 'subscribe', 'subscribe']);
    });

    it('that are answered elsewhere, of a task that is over meanwhile', async () => {
      server({ send: [[status('AUTH_REQUIRED')]], subscribe: [[UNSUPPORTED]], get: [[task('COMPLETED', whole)]] });
      const alice = await person(agent);
      const ended = await alice.answer({ payload: 'I have.' });
      expect(ended.view).toMatchObject(completed);
      expect(texts(ended)).toEqual(['Booked.']);
      expect(operations()).toEqual(['send', 'subscribe', 'get']);
    });

    it('that have ended elsewhere leave the word to the task', async () => {
      server({ send: [[asks('When?')], [UNSUPPORTED]], get: [[task('COMPLETED', whole)]] });
      const alice = await person(agent);
      const ended = await alice.answer({ payload: 'On Monday' });
      expect(ended.view).toMatchObject(completed);
      expect(texts(ended)).toEqual(['Booked.']);
      expect(operations()).toEqual(['send', 'send', 'get']);
    });
  });
});
