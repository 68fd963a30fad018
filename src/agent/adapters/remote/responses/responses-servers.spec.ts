import { type Message, textOf } from '../../../../events/index.js';
import { TestRun, type TestRunOptions, userMessage } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { type Answer, framed, openStream, stream, UpstreamDouble } from '../../testing/responses-double.js';

const CREATED = { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress' } };
const delta = (text: string): object => ({ type: 'response.output_text.delta', delta: text });
const message = (text: string, annotations: readonly object[] = []): object => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text, annotations }],
});
const response = (status: string, ...output: readonly object[]): object => ({
  ...{ id: 'resp_1', object: 'response', model: 'agent', status, output },
});
const completed = (...output: readonly object[]): object => ({
  type: 'response.completed',
  response: response('completed', ...output),
});
const json = (value: object, status = 200): Answer => {
  return (answer) => void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
};

/** Answers of OpenAI Responses as servers of others give and take them. */
describe('a remote agent of Responses', () => {
  let upstream: UpstreamDouble;
  let run: TestRun;
  afterEach(() => upstream.close());

  /** The texts of a run, or the sentence of its error. */
  async function shown(answer: Answer, more: object = {}, options: TestRunOptions = {}): Promise<string[] | string> {
    upstream = await UpstreamDouble.start(answer);
    const agent = remoteAgentFor({ type: 'responses', url: `${upstream.url}/v1`, ...more });
    run = new TestRun(options);
    try {
      await run.drive(agent);
      run.expectLegalStream();
      return run.messages.map(textOf);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await agent.close();
    }
  }
  const streamed =
    (...events: readonly object[]): Answer =>
    (answer) =>
      stream(answer, [CREATED, ...events]);

  describe('whose text names no item', () => {
    const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'dredge', arguments: '{"metres":2}' };
    const output = { id: 'fo_1', type: 'function_call_output', call_id: 'call_1', output: 'Dredged.' };

    it('says it once, though the whole response has it again', async () => {
      const events = [delta('Moored '), delta('at 7.'), completed(call, output, message('Moored at 7.'))];
      expect(await shown(streamed(...events))).toEqual(['Moored at 7.', '', '']);
      expect(run.messages.map(({ type }) => type)).toEqual(['message', 'plugin_call', 'plugin_call_output']);
    });

    it('says it once if it is several messages, and what was not streamed of them too', async () => {
      const cited = { type: 'url_citation', url: 'https://example.org/', start_index: 0, end_index: 2 };
      const whole = completed(
        message('Let me look. '),
        call,
        output,
        message('Moored at 7.', [cited]),
        message('Bye.'),
      );
      expect(await shown(streamed(delta('Let me look. '), delta('Moored'), whole))).toEqual([
        'Let me look. Moored at 7.',
        '',
        '',
        'Bye.',
      ]);
    });

    it('says what it could until it failed once', async () => {
      const failed = {
        ...response('failed', message('Moo')),
        error: { code: 'server_error', message: 'The bar is dry' },
      };
      expect(await shown(streamed(delta('Moo'), { type: 'response.failed', response: failed }))).toBe('The bar is dry');
      expect(run.messages.map(textOf)).toEqual(['Moo']);
    });
  });

  describe('whose items and texts are told in odd ways', () => {
    const added = (item: object, place: object = { output_index: 0 }): object => ({
      ...{ type: 'response.output_item.added', ...place, item },
    });
    const done = (item: object, place: object = { output_index: 0 }): object => ({
      ...{ type: 'response.output_item.done', ...place, item },
    });
    const piece = (text: string, place: object): object => ({
      ...{ type: 'response.output_text.delta', delta: text, ...place },
    });
    const parts = (id: string, ...texts: readonly string[]): object => ({
      ...{ id, type: 'message', role: 'assistant', status: 'completed' },
      content: texts.map((text) => ({ type: 'output_text', text, annotations: [] })),
    });

    it.each<[string, readonly object[], readonly string[]]>([
      ['no place', [piece('Hi', { item_id: 'm' }), completed(parts('m', 'Hi'))], ['Hi']],
      [
        'no place at all',
        [added(parts('m'), {}), piece('Hi', { item_id: 'm' }), done(parts('m', 'Hi'), {}), completed(parts('m', 'Hi'))],
        ['Hi'],
      ],
      [
        'places from 1',
        [
          ...[added(parts('m'), { output_index: 1 }), piece('Hi', { output_index: 1 })],
          ...[done(parts('m', 'Hi'), { output_index: 1 }), completed(parts('m', 'Hi'))],
        ],
        ['Hi'],
      ],
      [
        'another id in each event',
        [
          ...[added(parts('a')), piece('Hel', { output_index: 0, item_id: 'b' })],
          ...[
            piece('lo', { output_index: 0, item_id: 'c' }),
            done(parts('d', 'Hello')),
            completed(parts('e', 'Hello')),
          ],
        ],
        ['Hello'],
      ],
      [
        'one place for all, and ids that were not told before',
        [
          ...[added({ id: 'r', type: 'reasoning', summary: [] })],
          { type: 'response.reasoning_text.delta', output_index: 0, item_id: 'r2', delta: 'Hm' },
          { type: 'response.reasoning_text.delta', output_index: 0, item_id: 'r3', delta: 'm' },
          ...[added(parts('m')), piece('One', { output_index: 0, item_id: 'm' }), done(parts('m', 'One'))],
          ...[added(parts('n')), piece('Two', { output_index: 0, item_id: 'n' }), done(parts('n', 'Two'))],
          completed({ id: 'x', type: 'reasoning', summary: [] }, parts('y', 'One'), parts('z', 'Two')),
        ],
        ['Hmm', 'One', 'Two'],
      ],
      [
        'one id for all',
        [
          ...[added(parts('m')), piece('One', { output_index: 0, item_id: 'm' }), done(parts('m', 'One'))],
          ...[added(parts('m'), { output_index: 1 }), piece('Two', { output_index: 1, item_id: 'm' })],
          ...[done(parts('m', 'Two'), { output_index: 1 }), completed(parts('m', 'One'), parts('m', 'Two'))],
        ],
        ['One', 'Two'],
      ],
      [
        'a second part only when it is whole',
        [
          piece('Hi ', { output_index: 0, content_index: 0 }),
          { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hi ' },
          { type: 'response.output_text.done', output_index: 0, content_index: 1, text: 'Hello world' },
          ...[done(parts('m', 'Hi ', 'Hello world')), completed(parts('m', 'Hi ', 'Hello world'))],
        ],
        ['Hi Hello world'],
      ],
      [
        'parts that alternate',
        [
          piece('Hi ', { output_index: 0, content_index: 0 }),
          piece('wor', { output_index: 0, content_index: 1 }),
          piece('all ', { output_index: 0, content_index: 0 }),
          piece('ld', { output_index: 0, content_index: 1 }),
          ...[done(parts('m', 'Hi all ', 'world')), completed(parts('m', 'Hi all ', 'world'))],
        ],
        ['Hi wor', 'Hi all world'],
      ],
      [
        'another text at the end',
        [
          piece('Helo', { output_index: 0 }),
          ...[done(parts('m', 'Hello world')), completed(parts('m', 'Hello world'))],
        ],
        ['Helo', 'Hello world'],
      ],
      [
        'half a character in each piece',
        [
          ...[piece('\ud83d', { output_index: 0 }), piece('\ude00', { output_index: 0 })],
          ...[done(parts('m', '\u{1f600}')), completed(parts('m', '\u{1f600}'))],
        ],
        ['\u{1f600}'],
      ],
      [
        'half a character before the whole text',
        [piece('\ud83d', { output_index: 0 }), completed(parts('m', '\u{1f600}'))],
        ['\u{1f600}'],
      ],
      ['half a character', [piece('a\ud83d', { output_index: 0 }), completed()], ['a\ufffd']],
    ])('shows each text once, in order: %s', async (_, events, texts) => {
      expect(await shown(streamed(...events))).toEqual(texts);
    });
  });

  it('may answer with the response in place of events', async () => {
    expect(await shown(json(response('completed', message('Moored.'))))).toEqual(['Moored.']);
    await upstream.close();
    const failed = { ...response('failed'), error: { code: 'x', message: 'No berth' } };
    expect(await shown(json(failed))).toBe('No berth');
  });

  it('is looked at if it shows its answer as it is when it is asked for the rest of the events', async () => {
    let looks = 0;
    const answer: Answer = (http, request) => {
      if (request.method === 'POST') {
        openStream(http);
        http.write(framed([CREATED, delta('Moo')]), () => setImmediate(() => http.destroy()));
        return;
      }
      looks += 1;
      json(looks < 3 ? response('in_progress') : response('completed', message('Moored.')))(http, request);
    };
    expect(await shown(answer)).toEqual(['Moored.']);
    expect(upstream.of('GET').map(({ path }) => path.includes('stream'))).toEqual([true, false, false]);
  });

  it('is asked in the foreground if it refuses the background by the form of the request', async () => {
    const detail = [{ type: 'extra_forbidden', loc: ['body', 'background'], msg: 'Extra inputs are not permitted' }];
    const answer: Answer = (http, request) =>
      'background' in request.body
        ? json({ detail }, 422)(http, request)
        : streamed(completed(message('Moored.')))(http, request);
    expect(await shown(answer)).toEqual(['Moored.']);
    expect(upstream.seen.map(({ body }) => body['store'])).toEqual([true, false]);
  });

  it.each([
    [
      422,
      { detail: [{ loc: ['body', 'user'], msg: 'Field required', input: 'a secret' }] },
      ': body.user: Field required',
    ],
    [422, { detail: [{ msg: 'Value error' }] }, ': Value error'],
    [422, { detail: [7] }, ''],
    [400, { title: 'One or more errors', status: 400 }, ': One or more errors'],
    [400, { detail: 'No berth', title: 'Bad' }, ': No berth'],
  ])('says what it refuses, and no more: %i %j', async (code, body, said) => {
    expect(await shown(json(body, code), { background: false })).toBe(
      `The remote agent refused the request with status ${code}${said}`,
    );
  });

  it('gets what was said before in a form that strict servers take', async () => {
    const said: Message = { ...userMessage('Moored.', 'msg_a'), role: 'assistant' };
    const history = [userMessage('Moor.'), said];
    await shown(streamed(completed(message('Hi.'))), {}, { history });
    const { input } = upstream.seen[0]?.body ?? {};
    expect(input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Moor.' }] },
      { type: 'message', role: 'assistant', content: 'Moored.' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
    ]);
  });

  it.each([
    ['webp', 'image/webp'],
    [undefined, 'image/png'],
  ])('may make images of another format: %s', async (output_format, type) => {
    const image = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'AAAA', output_format };
    await shown(streamed(completed(image)));
    const [shownImage] = run.messages.flatMap(({ content }) => content ?? []).filter((one) => one.type === 'image');
    expect(shownImage).toMatchObject({ image_url: `data:${type};base64,AAAA` });
  });
});
