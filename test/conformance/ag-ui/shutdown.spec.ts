import { BinaryAgent } from '../../support/ag-ui-clients.js';
import { agUiOptions } from '../../support/ag-ui-options.js';
import { startServer } from '../../support/server.js';
import { behaviour, mutter, stopped } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';

const JSON_BODY = { 'content-type': 'application/json' };
const CLOSING = { type: 'RUN_ERROR', code: 'SHUTTING_DOWN' };

/** The events that the text of a stream holds. */
function eventsOf(text: string): unknown[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as unknown] : []));
}

describeOnDatabases('AG-UI streams during a shutdown', (open) => {
  it('every stream ends with RUN_ERROR, in the spelling of keys that its client requested', async () => {
    behaviour.current = async function* (context) {
      yield mutter(context, 'Once upon');
      await stopped(context);
    };
    const server = await startServer(agUiOptions({ database: open, env: { SHUTDOWN_GRACE_MS: '100' } }));
    const post = async (path: string, threadId: string): Promise<Response> => {
      const messages = [{ id: 'u1', role: 'user', content: 'a long story' }];
      const body = JSON.stringify({ threadId, runId: 'r1', messages, protocolVersion: '1.0' });
      return fetch(server.url + path, { method: 'POST', headers: JSON_BODY, body });
    };
    const answers = [
      await post('/ag-ui/code-journal', 'stop-1'),
      await post('/copilotkit/agent/code-journal/run', 'stop-2'),
      await post('/copilotkit/agent/code-journal/connect', 'stop-2'),
      await post('/ag-ui/code-journal?key_case=snake', 'stop-4'),
    ];
    const texts = Promise.all(answers.map((answer) => answer.text()));
    const binary = new BinaryAgent({ url: `${server.url}/ag-ui/code-journal`, threadId: 'stop-3' });
    binary.addMessage({ id: 'u1', role: 'user', content: 'a long story' });
    const shown: unknown[] = [];
    let run: Promise<unknown> = Promise.resolve();
    await new Promise<void>((speaks) => {
      const onEvent = ({ event }: { event: unknown }): void => void shown.push(event);
      run = binary.runAgent({}, { onEvent, onTextMessageContentEvent: () => speaks() });
    });
    await server.close();
    await run;
    expect(shown.at(-1)).toMatchObject(CLOSING);
    expect((await texts).map((text) => eventsOf(text).at(-1))).toMatchObject([
      CLOSING,
      CLOSING,
      CLOSING,
      { ...CLOSING, run_id: 'r1' },
    ]);
  });
});
