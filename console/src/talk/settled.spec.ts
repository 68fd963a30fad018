import { LiveRun } from './live-run.js';
import { dropDiscarded } from './settled.js';
import { Transcript } from './transcript.js';

describe('what a recovered run has written twice', () => {
  const response = (...texts: string[]): object => ({
    output: [{ type: 'message', content: texts.map((text) => ({ type: 'text', text })) }],
  });

  /** The texts that are left of two texts of a run and one of another one. */
  function left(of: object | undefined): readonly string[] {
    const transcript = new Transcript();
    const run = new LiveRun(transcript, 'session', () => undefined);
    run.started('run-1');
    const texts = [
      ['run-0', 'Before'],
      ['run-1', 'One two'],
      ['run-1', 'One two three\n'],
    ] as const;
    for (const [id, text] of texts) transcript.put({ kind: 'text', id: text, text, done: true, run: id });
    dropDiscarded(run, of);
    return transcript.current.map(({ id }) => id);
  }

  it('is there once, as the response has it', () => {
    expect(left(response('One two three'))).toEqual(['Before', 'One two three\n']);
  });

  it.each([
    ['the response has none of the texts', response('Another')],
    ['it cannot be read', undefined],
  ])('stays as it is if %s', (_, of) => {
    expect(left(of)).toEqual(['Before', 'One two', 'One two three\n']);
  });
});
