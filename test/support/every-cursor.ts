import type { TestServer } from './server.js';
import { SseParser } from './sse.js';

/** What is written after the frames that a cursor counts. */
const DONE = 'data: [DONE]';

/**
 * Expects that the frames of a finished run are counted as a client counts them, one for each block of the stream:
 * after any of them come exactly the others, and a cursor beyond the last is refused.
 *
 * @param protocol the wire in whose frames the run is read
 */
export async function expectEveryCursor({ url }: TestServer, runId: string, protocol: string): Promise<void> {
  const read = async (after: number): Promise<{ status: number; text: string }> => {
    const query = `protocol=${protocol}&after=${after}`;
    const answer = await fetch(`${url}/runs/${encodeURIComponent(runId)}/events?${query}`);
    return { status: answer.status, text: await answer.text() };
  };
  const blocks = blocksOf((await read(0)).text);
  const count = blocks.filter((block) => block !== DONE).length;
  expect(count).toBeGreaterThan(0);
  for (let after = 1; after <= count; after += 1) {
    const { status, text } = await read(after);
    expect([protocol, after, status, blocksOf(text)]).toEqual([protocol, after, 200, blocks.slice(after)]);
  }
  expect([protocol, (await read(count + 1)).status]).toEqual([protocol, 409]);
}

/** The blocks of a stream, without comments. */
function blocksOf(stream: string): readonly string[] {
  const parser = new SseParser();
  return parser.push(stream).map(({ raw }) => raw);
}
