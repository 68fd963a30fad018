import { textOf } from '../../../events/index.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { responseEvents, stream, UpstreamDouble } from '../testing/responses-double.js';

const WORDS = Array.from({ length: 5000 }, (_, index) => `word${index} `);
/** The events of one turn, at its beginning and when the next part of the stream has come. */
const MOST_PER_TURN = 2 * 64;

describe('a remote agent that sends a whole answer at once', () => {
  it('other work runs in between', async () => {
    const upstream = await UpstreamDouble.start((response) => stream(response, responseEvents('resp_1', [WORDS])));
    const agent = remoteAgentFor({ type: 'responses', url: upstream.url, background: false });
    const run = new TestRun();
    const perTurn: number[] = [];
    let seen = 0;
    let isOver = false;
    const watch = (): void => {
      perTurn.push(run.events.length - seen);
      seen = run.events.length;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    try {
      await run.drive(agent);
    } finally {
      isOver = true;
      await agent.close();
      await upstream.close();
    }
    // The turns in which the messages begin and end have a few events more.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(MOST_PER_TURN + 5);
    expect(run.messages.map(textOf)).toEqual([WORDS.join('')]);
  });
});
