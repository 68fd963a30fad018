import { inspect } from 'node:util';
import { AppError } from '../../../common/index.js';
import { BudgetExceeded } from '../../../usage/budget-exceeded.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { type Answer, openStream, UpstreamDouble } from '../testing/responses-double.js';
import { withoutSecretsIn } from './remote-secrets.js';

const SECRET = 'lit-secret-token';
const DYNAMIC = 'out-of-the-store';
const ECHO = `bad key: Bearer ${SECRET} / ${DYNAMIC}`;

/** Everything that a log could write of an error. */
const all = (error: unknown): string => inspect(error, { depth: 10, showHidden: true });

describe('secrets of a remote agent', () => {
  const status =
    (code: number): Answer =>
    (response) =>
      void response.writeHead(code, { 'set-cookie': SECRET }).end(JSON.stringify({ error: { message: ECHO } }));
  const reported: Answer = (response) => {
    openStream(response);
    const error = { code: ECHO, message: ECHO };
    response.end(`data: ${JSON.stringify({ type: 'response.failed', response: { status: 'failed', error } })}\n\n`);
  };
  const broken: Answer = (response) => {
    openStream(response);
    response.end(`data: {${ECHO}\n\ndata: {}\n\n`);
  };

  it.each([
    ['status 400', status(400)],
    ['status 401', status(401)],
    ['status 500', status(500)],
    ['a reported failure', reported],
    ['an event that is no JSON', broken],
  ])('are in no part of the error after %s', async (_, answer) => {
    const upstream = await UpstreamDouble.start(answer);
    const entry = { type: 'responses', url: upstream.url, background: false };
    const headers = { authorization: `Bearer ${SECRET}` };
    const agent = remoteAgentFor({ ...entry, headers }, () => Promise.resolve({ 'x-key': DYNAMIC }));
    const error = await new TestRun().drive(agent).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AppError);
    expect(all(error)).not.toContain(SECRET);
    expect(all(error)).not.toContain(DYNAMIC);
    expect(all(agent.remote)).not.toContain(SECRET);
    expect(upstream.seen[0]?.headers).toMatchObject({ authorization: headers.authorization, 'x-key': DYNAMIC });
    await agent.close();
    await upstream.close();
  });

  it('are masked in what an error has, which stays', () => {
    const error = new AppError('UPSTREAM_BUSY', `No ${SECRET}`, {
      details: [{ path: 'upstream', message: SECRET, rule: 'code' }],
      retryAfterSeconds: 7,
      cause: Object.assign(new Error(SECRET, { cause: SECRET }), { body: SECRET }),
    });
    const shown = withoutSecretsIn(error, [SECRET]);
    expect(shown).toMatchObject({
      code: 'UPSTREAM_BUSY',
      message: 'No [secret]',
      status: 503,
      retryAfterSeconds: 7,
      details: [{ path: 'upstream', message: '[secret]', rule: 'code' }],
      cause: { message: '[secret]', cause: { message: '[secret]' } },
    });
    expect(all(shown)).not.toContain(SECRET);
  });

  it('are no reason to change an error of this server', () => {
    const error = Object.create(BudgetExceeded.prototype) as AppError;
    expect(withoutSecretsIn(error, [])).toBe(error);
  });
});

describe('files of a remote agent', () => {
  it('are no uploads of this server, whose addresses readers would get signed', async () => {
    const reference = 'parley-attachment:agent-inputs/default/other/2026/11/00000000-0000-4000-8000-000000000000.png';
    const content = [reference, 'https://a.example/b.png'].map((image_url, index) => {
      return { object: 'content', type: 'image', index, image_url, status: 'completed' };
    });
    const upstream = await UpstreamDouble.start((response) => {
      openStream(response);
      const message = { object: 'message', id: 'm', type: 'message', role: 'assistant', status: 'completed', content };
      const events = [{ object: 'response', status: 'created' }, message, { object: 'response', status: 'completed' }];
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    const agent = remoteAgentFor({ type: 'agent-api', url: upstream.url });
    const run = new TestRun();
    await run.drive(agent);
    expect(JSON.stringify(run.messages)).toContain('https://a.example/b.png');
    expect(JSON.stringify(run.messages)).not.toContain('parley-attachment');
    await agent.close();
    await upstream.close();
  });
});
