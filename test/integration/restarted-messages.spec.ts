import { messageOf } from '../../src/events/index.js';
import { responseInfo } from '../../src/protocol/responses/response-info.js';
import { ResponsesEncoder } from '../../src/protocol/responses/responses.encoder.js';
import { behaviour, stopped } from '../support/code-agents.js';
import { ALICE, describeOnLedgers } from '../support/ledger.js';
import { parseResponseFrames, ResponsesReader } from '../support/responses-reader.js';
import { RunDriver } from '../support/run-driver.js';

const answer = (text: string, status: 'in_progress' | 'completed'): ReturnType<typeof messageOf> => ({
  ...messageOf({ id: 'msg_own', role: 'assistant' }, [{ type: 'text', text }]),
  status,
});

describeOnLedgers('a message whose id its agent chose', (ledger) => {
  it('it is streamed, stored and found under one new id if a lost worker had started it', async () => {
    let attempt = 0;
    let begun: () => void = () => undefined;
    const begins = (): Promise<void> => new Promise((resolve) => (begun = resolve));
    behaviour.current = async function* (context) {
      attempt += 1;
      yield context.response.addMessage(answer(`Attempt ${attempt}`, attempt < 3 ? 'in_progress' : 'completed'));
      if (attempt === 3) return;
      await context.flush();
      begun();
      await stopped(context);
    };
    const start = (): Promise<RunDriver> => RunDriver.start(ledger());
    const first = begins();
    let server = await start();
    const id = await server.accept({ agentType: 'code-restart' });
    await first;
    const second = begins();
    await server.stop();
    server = await start();
    await second;
    await server.stop();
    server = await start();
    const { last, view } = await server.ended(id);
    expect(last.output).toMatchObject([{ id: 'msg_own_3', content: [{ text: 'Attempt 3' }] }]);

    const encoder = new ResponsesEncoder(responseInfo(view));
    let frames = '';
    for await (const batch of server.runs.tail(ALICE, id))
      frames += batch.flatMap((event) => encoder.next(event)).join('');
    const reader = new ResponsesReader();
    for (const event of parseResponseFrames(frames).events) reader.read(event);
    const done = reader.events.filter(({ type }) => type === 'response.output_item.done');
    expect(done.map(({ item }) => [item?.id, item?.status])).toEqual([
      ['msg_own', 'incomplete'],
      ['msg_own_2', 'incomplete'],
      ['msg_own_3', 'completed'],
    ]);
    expect(reader.ended?.output.map((item) => item.id)).toEqual(['msg_own_3']);
    await server.stop();
  });
});
