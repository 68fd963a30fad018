import { textOf } from '../../../../events/index.js';
import { TestRun } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { stream, UpstreamDouble } from '../../testing/responses-double.js';

const content = (text: string, more: object = {}): object => ({
  ...{ object: 'content', msg_id: 'm', type: 'text', delta: true, text, ...more },
});
const message = (status: string, ...texts: readonly string[]): object => ({
  ...{ object: 'message', id: 'm', type: 'message', role: 'assistant', status },
  ...(texts.length > 0 && { content: texts.map((text) => ({ type: 'text', text })) }),
});

/** Texts of an upstream that speaks the Agent API. */
describe('the texts of a remote agent of the Agent API', () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ['as they are so far', [content('Hel', { delta: false }), content('Hello', { delta: false })], ['Hello']],
    [
      'in two contents',
      [content('Hi ', { index: 0 }), content('you', { index: 1 }), message('completed', 'Hi ', 'you')],
      ['Hi you'],
    ],
    [
      'in contents that alternate',
      [
        content('Hi ', { index: 0 }),
        content('y', { index: 1 }),
        content('all ', { index: 0 }),
        content('ou', { index: 1 }),
      ],
      ['Hi y', 'Hi all you'],
    ],
    ['that change', [content('Helo', { delta: false }), content('Hello', { delta: false })], ['Helo', 'Hello']],
    ['that are other ones at the end', [content('Helo'), message('completed', 'Hello')], ['Helo', 'Hello']],
    ['cut within a character', [content('\ud83d'), content('\ude00')], ['\u{1f600}']],
    ['cut within a character, and whole', [content('\ud83d'), message('completed', '\u{1f600}')], ['\u{1f600}']],
  ])('are shown once, in order: %s', async (_, events, texts) => {
    const begin = [{ object: 'response', id: 'r', status: 'created' }, message('in_progress')];
    const end = [message('completed'), { object: 'response', id: 'r', status: 'completed', output: [] }];
    const upstream = await UpstreamDouble.start((answer) => stream(answer, [...begin, ...events, ...end]));
    const agent = remoteAgentFor({ type: 'agent-api', url: upstream.url });
    const run = new TestRun();
    try {
      await run.drive(agent);
      run.expectLegalStream();
      expect(run.messages.map(textOf)).toEqual(texts);
    } finally {
      await agent.close();
      await upstream.close();
    }
  });
});
