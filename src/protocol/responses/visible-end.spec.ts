import { AppError } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import { parseResponseFrames } from '../../../test/support/responses-reader.js';
import { ResponsesEncoder } from './responses.encoder.js';
import { begun, info, say } from './testing/encoded.js';
import { withVisibleEnd } from './visible-end.js';

const REQUEST = { type: 'server_error', param: null };

/** What a reader gets of a log that is told, and then fails or merely stops. */
async function read(log: readonly LoggedEvent[], error?: Error, gone = new AbortController()): Promise<string> {
  const encoder = new ResponsesEncoder(info());
  const source = async function* (): AsyncGenerator<readonly string[]> {
    for (const event of log) yield Promise.resolve(encoder.next(event));
    if (error) throw error;
    yield encoder.end();
  };
  let text = '';
  for await (const frames of withVisibleEnd(source(), encoder, gone.signal)) text += frames.join('');
  return text;
}

describe('a stream of the Responses wire', () => {
  it('ends with an error event, numbered as the next, when its log can no longer be read', async () => {
    const log = begun();
    say(log, 'So');
    const { events, done } = parseResponseFrames(await read(log.logged(), new AppError('DATABASE_ERROR')));
    expect(done).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      sequence_number: events.length - 1,
      code: 'service_unavailable',
      error: { ...REQUEST, code: 'service_unavailable' },
    });
  });

  it('tells nothing of an error that nobody expected', async () => {
    const text = await read(begun().logged(), new TypeError('a secret'));
    expect(text).not.toContain('secret');
    expect(parseResponseFrames(text).events.at(-1)).toMatchObject({ type: 'error', code: 'server_error' });
  });

  it('is not begun by an error before its first frame', async () => {
    await expect(read([], new AppError('EVENTS_EXPIRED'))).rejects.toMatchObject({ code: 'EVENTS_EXPIRED' });
  });

  it('says so when the log stops before its end, but not to a client that has left', async () => {
    const { events } = parseResponseFrames(await read(begun().logged()));
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'service_unavailable' });
    const gone = new AbortController();
    gone.abort();
    expect(await read(begun().logged(), undefined, gone)).not.toContain('event: error');
  });

  it('has no error event behind its own end', async () => {
    const log = begun();
    log.response.completed();
    const { events, done } = parseResponseFrames(await read(log.logged()));
    expect([events.at(-1)?.type, done]).toEqual(['response.completed', true]);
  });
});
