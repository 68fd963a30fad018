import { until } from '../../../../../test/support/until.js';
import { textOf } from '../../../../events/index.js';
import { Crash, MemoryJournal } from '../../../testing/memory-journal.js';
import { TestRun } from '../../../testing/test-run.js';
import { AgentScopeDouble, replyOf, textEvents } from '../../testing/agentscope-double.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import type { RemoteAgent } from '../remote-agent.js';

const TEXTS = [['Good ', 'morning.'], ['How ', 'are ', 'you?'], ['Bye.']];
const WHOLE = ['Good morning.', 'How are you?', 'Bye.'];
const BLOCKS = TEXTS.flatMap((pieces, index) => textEvents('r1', `b${index}`, pieces));

describe('a remote agent of AgentScope 2.0', () => {
  let upstream: AgentScopeDouble;
  const agents: RemoteAgent[] = [];

  beforeEach(async () => {
    upstream = await AgentScopeDouble.start();
    upstream.script = () => replyOf('r1', BLOCKS);
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.close()));
    await upstream.close();
  });

  function agent(more: object = {}): RemoteAgent {
    const made = remoteAgentFor({ type: 'agentscope-2', url: upstream.url, agentId: 'friend', ...more });
    agents.push(made);
    return made;
  }
  const chats = (): number => upstream.seen.filter((one) => one === 'POST /chat/').length;
  async function texts(more: object = {}): Promise<string[]> {
    const run = new TestRun();
    expect(await run.drive(agent(more))).toEqual({ kind: 'completed' });
    run.expectLegalStream();
    return run.messages.map(textOf);
  }

  it('begins a session, and shows thoughts, texts, calls with their results, files and usage', async () => {
    const of = { reply_id: 'r1' };
    upstream.script = () =>
      replyOf('r1', [
        { type: 'THINKING_BLOCK_START', ...of, block_id: 't' },
        { type: 'THINKING_BLOCK_DELTA', ...of, block_id: 't', delta: 'Hm.' },
        { type: 'THINKING_BLOCK_END', ...of, block_id: 't' },
        { type: 'TOOL_CALL_START', ...of, tool_call_id: 'c', tool_call_name: 'look' },
        { type: 'TOOL_CALL_DELTA', ...of, tool_call_id: 'c', delta: '{"at":"sky"}' },
        { type: 'TOOL_CALL_END', ...of, tool_call_id: 'c' },
        { type: 'TOOL_RESULT_START', ...of, tool_call_id: 'c', tool_call_name: 'look' },
        { type: 'TOOL_RESULT_TEXT_DELTA', ...of, tool_call_id: 'c', delta: 'blue' },
        { type: 'TOOL_RESULT_END', ...of, tool_call_id: 'c', state: 'success' },
        { type: 'CUSTOM', name: 'state_updated', value: { tasks: 1 } },
        { type: 'DATA_BLOCK_START', ...of, block_id: 'd', media_type: 'image/png' },
        { type: 'DATA_BLOCK_DELTA', ...of, block_id: 'd', media_type: 'image/png', data: 'AAAA' },
        { type: 'DATA_BLOCK_END', ...of, block_id: 'd' },
        ...textEvents('r1', 'b', ['It is ', 'blue.']),
      ]);
    const run = new TestRun();
    expect(await run.drive(agent())).toEqual({ kind: 'completed' });
    run.expectLegalStream();
    expect(run.messages.map(({ type }) => type)).toEqual([
      'reasoning',
      'plugin_call',
      'plugin_call_output',
      'message',
      'message',
    ]);
    expect(run.messages.at(-1) && textOf(run.messages.at(-1) as never)).toBe('It is blue.');
    expect(run.messages[3]?.content).toMatchObject([{ type: 'image', image_url: 'data:image/png;base64,AAAA' }]);
    expect(run.context.response.getResponseData().usage).toMatchObject({ input_tokens: 3, output_tokens: 4 });
    expect(run.events).toContainEqual(expect.objectContaining({ object: 'custom', name: 'state_updated' }));
    expect(upstream.inputs).toEqual([
      [{ id: expect.any(String), role: 'user', name: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    ]);
    expect(upstream.seen.slice(0, 3)).toEqual(['POST /sessions/', 'GET /sessions/session-1/stream', 'POST /chat/']);
  });

  it('the next turn goes on with the session, and says only what is new', async () => {
    const first = new TestRun();
    const friend = agent();
    await first.drive(friend);
    const history = [...first.context.input, ...first.messages];
    const second = new TestRun({ history, providerStates: first.states });
    upstream.script = () => replyOf('r2', textEvents('r2', 'x', ['Again.']));
    await second.drive(friend);
    expect(second.messages.map(textOf)).toEqual(['Again.']);
    expect(upstream.sessions.size).toBe(1);
    expect(upstream.inputs[1]).toHaveLength(1);
  });

  it.each([
    ['a beginning', (event: Record<string, unknown>) => event['type'] === 'REPLY_START'],
    ['a whole text', (event: Record<string, unknown>) => event['block_id'] === 'b2'],
    ['the end', (event: Record<string, unknown>) => event['type'] === 'REPLY_END'],
  ])('what gets lost on the stream comes from the store: %s', async (_, isLost) => {
    upstream.onEvent = (event) => (isLost(event) ? 'lost' : undefined);
    expect(await texts({ idleMs: 200 })).toEqual(WHOLE);
    expect(chats()).toBe(1);
  });

  it('a text that has lost a piece comes again as a whole', async () => {
    upstream.onEvent = (event) => (event['delta'] === 'are ' ? 'lost' : undefined);
    expect(await texts()).toEqual(['Good morning.', 'How you?', 'Bye.', 'How are you?']);
  });

  it.each([1, 4, 7, 9])('a stream that is cut before event %i goes on, and no word comes twice', async (at) => {
    upstream.onEvent = (_, index) => {
      if (index === at) upstream.cut();
    };
    expect(await texts()).toEqual(WHOLE);
    expect(chats()).toBe(1);
  });

  it('an answer with more events than a stream replays is whole after a cut', async () => {
    const pieces = Array.from({ length: 1500 }, (_, index) => `${index} `);
    upstream.script = () => replyOf('r1', [...textEvents('r1', 'a', ['First.']), ...textEvents('r1', 'b', pieces)]);
    upstream.onEvent = (_, index) => {
      if (index === 1200) upstream.cut();
    };
    expect(await texts()).toEqual(['First.', pieces.join('')]);
  });

  it.each([1, 2, 3, 4])('a process that dies after %i writes goes on, and the run is started once', async (write) => {
    const journal = new MemoryJournal([], write);
    const first = new TestRun({ journal });
    let kept: string[] = [];
    await expect(first.drive(agent())).rejects.toBeInstanceOf(Crash);
    kept = first.messages.filter(({ id }) => journal.keptMessageIds.has(id)).map(textOf);
    const second = new TestRun({ journal: new MemoryJournal(journal.writes), attempt: 2 });
    expect(await second.drive(agent({ idleMs: 200 }))).toEqual({ kind: 'completed' });
    expect([...kept, ...second.messages.map(textOf)]).toEqual(WHOLE);
    expect([chats(), upstream.sessions.size]).toEqual([1, 1]);
  });

  it('a session that is busy is asked three times', async () => {
    const friend = agent();
    let isHeld = true;
    upstream.onEvent = async (_, index) => {
      while (isHeld && index === 1) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const run = new TestRun();
    const running = run.drive(friend).catch((error: unknown) => error);
    await until(() => chats() > 0);
    // The next turn of the same conversation, as after a run that was canceled.
    const second = turnIn([...upstream.sessions.keys()][0]);
    await expect(second.drive(friend)).rejects.toMatchObject({ code: 'UPSTREAM_BUSY' });
    expect(chats()).toBe(4);
    isHeld = false;
    await running;
  });

  /** A turn of a conversation whose session is known. */
  function turnIn(handle: string | undefined): TestRun {
    const [known] = new TestRun().context.input;
    const state = { remote_agent: { agent: 'travel', handle, isKept: true, calls: {}, approvals: {} } };
    const providerStates = new Map([[known?.id ?? '', JSON.stringify(state)]]);
    return new TestRun({ history: known ? [known] : [], providerStates });
  }

  it('an answer has nothing of the run before it, whose end is on its stream', async () => {
    const friend = agent();
    let isHeld = true;
    upstream.onEvent = async (event) => {
      while (isHeld && event['block_id'] === 'b1') await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const run = new TestRun();
    const running = run.drive(friend);
    await until(() => run.messages.length > 0);
    upstream.script = () => replyOf('r2', textEvents('r2', 'x', ['Mine.']));
    const second = turnIn([...upstream.sessions.keys()][0]);
    const answering = second.drive(friend);
    await until(() => chats() > 1);
    isHeld = false;
    expect(await answering).toEqual({ kind: 'completed' });
    await running;
    expect([run.messages.map(textOf), second.messages.map(textOf)]).toEqual([WHOLE, ['Mine.']]);
    expect(chats()).toBe(3);
  });

  it('an answer has nothing of a run that begins when it ends', async () => {
    upstream.onEnd = (session) => {
      upstream.onEnd = () => undefined;
      upstream.script = () => replyOf('r2', textEvents('r2', 'x', ['Of another one.']));
      const content = [{ type: 'text', text: 'And mine?' }];
      upstream.begin(session, [{ id: 'u2', role: 'user', name: 'user', content }]);
    };
    expect(await texts()).toEqual(WHOLE);
    upstream.onEvent = (_, index) => {
      if (index === 4) upstream.cut();
    };
    upstream.script = () => replyOf('r3', textEvents('r3', 'y', ['Good ', 'night.']));
    expect(await texts()).toEqual(['Good night.']);
  });

  it('an answer comes from the store if the earlier ones of its session cannot be read', async () => {
    upstream.script = () => replyOf('r1', textEvents('r1', 'a', ['First.']));
    expect(await texts()).toEqual(['First.']);
    upstream.script = () => replyOf('r2', textEvents('r2', 'x', ['Mine ', 'now.']));
    upstream.failing = 1;
    const second = turnIn([...upstream.sessions.keys()][0]);
    expect(await second.drive(agent({ idleMs: 200 }))).toEqual({ kind: 'completed' });
    expect(second.messages.map(textOf)).toEqual(['Mine now.']);
  });

  it.each([
    [{ finished_reason: 'error', error: { type: 'rate_limit', message: 'Too\nmany' } }, 'UPSTREAM_FAILED'],
    [{ finished_reason: 'interrupted' }, 'UPSTREAM_CANCELED'],
  ])('a reply that ends as %j fails the run', async (end, code) => {
    upstream.script = () => replyOf('r1', BLOCKS, end);
    await expect(new TestRun().drive(agent())).rejects.toMatchObject({ code });
  });

  it('a reply that reached its limit of steps is incomplete', async () => {
    upstream.script = () => replyOf('r1', BLOCKS, { finished_reason: 'exceed_max_iters' });
    expect(await new TestRun().drive(agent())).toEqual({ kind: 'incomplete', reason: 'max_steps' });
  });

  it('a stopped run interrupts the session', async () => {
    upstream.onEvent = (_, index) => (index === 4 ? new Promise(() => undefined) : undefined);
    const run = new TestRun();
    const driven = run.drive(agent()).catch((error: unknown) => error);
    await until(() => run.messages.length > 0);
    run.abort.abort(new Error('stopped'));
    await driven;
    await until(() => upstream.seen.at(-1) === 'POST /sessions/session-1/interrupt');
  });

  it('the upstream is told of the user, or of the one that is configured', async () => {
    await texts();
    expect(new Set(upstream.users)).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{32}$/)]));
    upstream.users.length = 0;
    await texts({ headers: { 'X-User-ID': 'owner' } });
    expect(new Set(upstream.users)).toEqual(new Set(['owner']));
  });
});
