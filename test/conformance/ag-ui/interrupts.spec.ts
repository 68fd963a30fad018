import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clock } from '../../../src/common/index.js';
import { Interrupts } from '../../../src/agent/interrupt/index.js';
import { CLIENTS, httpAgent, runAgent, type Seen } from '../../support/ag-ui-clients.js';
import { agUiOptions, openedWindows } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';
import { describeOnDatabases } from '../../support/databases.js';
import { behaviour, say } from '../../support/code-agents.js';

type Agent = ReturnType<typeof httpAgent>;

const DAY_MS = 86_400_000;
const SEAT = {
  reason: 'choose_seat',
  message: 'Which seat?',
  responseSchema: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
};

describeOnDatabases('AG-UI', (open) => {
  describe.each(CLIENTS)('interrupts with @ag-ui/client %s', (version) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));
    let server: TestServer;
    let threads = 0;

    beforeAll(async () => {
      const file = join(folder, 'policy.json');
      writeFileSync(file, JSON.stringify({ rules: [{ tool: 'open_window', effect: 'ask', allowEdit: true }] }));
      server = await startServer(agUiOptions({ database: open, env: { TOOL_POLICY_FILE: file } }));
    });
    afterAll(async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    afterEach(() => jest.restoreAllMocks());

    /** A client whose thread waits for an answer. */
    async function asked(text: string, path = '/ag-ui'): Promise<{ client: Agent; interruptId: string }> {
      const client = httpAgent(version, { url: server.url + path, threadId: `asked-${version}-${(threads += 1)}` });
      client.addMessage({ id: 'u1', role: 'user', content: text });
      await runAgent(client);
      return { client, interruptId: client.pendingInterrupts[0]?.id ?? '' };
    }

    /** The same conversation as another page has it, which knows of no question. */
    function elsewhere(client: Agent): Agent {
      return httpAgent(version, { url: client.url, threadId: client.threadId, initialMessages: client.messages });
    }

    function answer(client: Agent, interruptId: string, payload: unknown): Promise<Seen> {
      return runAgent(elsewhere(client), { resume: [{ interruptId, status: 'resolved', payload }] } as never);
    }

    const errors = ({ events }: Seen): unknown[] => events.map(({ type, code }) => [type, code]);
    const said = ({ events }: Seen): string =>
      events.map(({ delta }) => (typeof delta === 'string' ? delta : '')).join('');

    it('the tool is called with the arguments that the person edited', async () => {
      const { client, interruptId } = await asked('open the window');
      expect(client.pendingInterrupts[0]?.responseSchema).toMatchObject({ properties: { editedArgs: {} } });
      const before = openedWindows.length;
      const seen = await answer(client, interruptId, { approved: true, editedArgs: { room: 'attic' } });
      expect(openedWindows.slice(before)).toEqual(['attic']);
      expect(seen.events.filter(({ type }) => type.startsWith('TOOL_CALL'))).toMatchObject([
        { type: 'TOOL_CALL_RESULT', toolCallId: 'call_w', content: expect.stringContaining('attic') },
      ]);
    });

    it.each([{ editedArgs: { room: 5 } }, { editedArgs: {} }, { editedArgs: 'attic' }, { editedArgs: ['attic'] }])(
      'invalid edited arguments are refused and the interrupt stays open: %j',
      async (edit) => {
        const { client, interruptId } = await asked('open the window');
        const before = openedWindows.length;
        expect(errors(await answer(client, interruptId, { approved: true, ...edit }))).toEqual([
          ['RUN_ERROR', 'INVALID_PARAMETER'],
        ]);
        expect(openedWindows).toHaveLength(before);
        await answer(client, interruptId, { approved: true });
        expect(openedWindows.slice(before)).toEqual(['kitchen']);
      },
    );

    it('an expired interrupt can be cancelled but not answered', async () => {
      const { client, interruptId } = await asked('open the window');
      const before = openedWindows.length;
      jest.spyOn(server.get(Clock), 'now').mockImplementation(() => Date.now() + 2 * DAY_MS);
      expect(errors(await answer(client, interruptId, { approved: true }))).toEqual([
        ['RUN_ERROR', 'INTERRUPT_EXPIRED'],
      ]);
      const seen = await runAgent(elsewhere(client), { resume: [{ interruptId, status: 'cancelled' }] });
      expect(seen.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(openedWindows).toHaveLength(before);
    });

    it('a new message continues the thread after an interrupt has expired', async () => {
      const { client } = await asked('open the window');
      const before = openedWindows.length;
      jest.spyOn(server.get(Clock), 'now').mockImplementation(() => Date.now() + 2 * DAY_MS);
      const other = elsewhere(client);
      other.addMessage({ id: 'u2', role: 'user', content: 'and then' });
      expect(said(await runAgent(other))).toBe('Then it rains.');
      expect(openedWindows).toHaveLength(before);
    });

    it('parallel requests are checked against the interrupts that are open when they are accepted', async () => {
      const { client, interruptId } = await asked('open the window');
      // What a request sees that read the interrupts before this one was opened.
      jest.spyOn(server.get(Interrupts), 'pending').mockResolvedValue([]);
      const before = openedWindows.length;
      const ignoring = ['u2', 'u3'].map((id) => {
        const other = elsewhere(client);
        other.addMessage({ id, role: 'user', content: 'and then' });
        return runAgent(other);
      });
      for (const seen of await Promise.all(ignoring))
        expect(errors(seen)).toEqual([['RUN_ERROR', 'INTERRUPT_PENDING']]);
      const answers = await Promise.all([1, 2, 3].map(() => answer(client, interruptId, { approved: true })));
      const ends = answers.map(({ events }) => events.at(-1)?.type).sort();
      expect(ends).toEqual(['RUN_ERROR', 'RUN_ERROR', 'RUN_FINISHED']);
      expect(openedWindows).toHaveLength(before + 1);
    });

    it('an agent gets the input that fits its schema, and other input is refused', async () => {
      behaviour.current = async function* (context) {
        const given = await context.interrupt(SEAT);
        yield say(context, JSON.stringify(given));
      };
      const { client, interruptId } = await asked('book', '/ag-ui/code-journal');
      const { message, responseSchema } = SEAT;
      expect(client.pendingInterrupts).toMatchObject([{ id: interruptId, message, responseSchema }]);
      for (const payload of [{}, { seat: 5 }, 'window', true, undefined])
        expect(errors(await answer(client, interruptId, payload))).toEqual([['RUN_ERROR', 'INVALID_PARAMETER']]);
      const seen = await answer(client, interruptId, { seat: '12A' });
      expect(said(seen)).toContain('12A');
      expect(errors(await answer(client, interruptId, { seat: '13B' }))).toEqual([
        ['RUN_ERROR', 'INTERRUPT_ALREADY_ANSWERED'],
      ]);
    });
  });
});
