import { MemoryJournal } from './testing/memory-journal.js';
import { TestRun } from './testing/test-run.js';
import { beginSubagent } from './subagent.js';

describe('a subagent', () => {
  it('a subagent has the same id and its own journal on every attempt', () => {
    let journal = new MemoryJournal();
    const begin = () => {
      journal = new MemoryJournal(journal.writes);
      const { context } = new TestRun({ journal });
      const one = beginSubagent(context, { name: 'scout' });
      const two = beginSubagent(context, { name: 'scout' });
      const keyed = beginSubagent(context, { name: 'scout', key: 'last' });
      return [one, two, keyed, beginSubagent(one.context, { name: 'scout' })];
    };
    const first = begin();
    first[0]?.context.journal.finish('model:0', 'hash', { text: 'Hi' }, []);
    const again = begin();
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(new Set(again.map(({ id }) => id)).size).toBe(4);
    expect(again.map(({ context }) => context.journal.isFinished('model:0'))).toEqual([true, false, false, false]);
    expect(again[0]?.context.journal.finished('model:0', 'hash')).toEqual({ output: { text: 'Hi' } });
    expect(journal.isFinished('model:0')).toBe(false);
  });

  it('a duplicate key is refused', () => {
    const { context } = new TestRun();
    beginSubagent(context, { name: 'scout', key: 'k' });
    expect(() => beginSubagent(context, { name: 'reader', key: 'k' })).toThrow(
      expect.objectContaining({ code: 'AGENT_ERROR' }),
    );
  });

  it('its events carry its id from the first on, and it ends once', () => {
    const run = new TestRun();
    const part = beginSubagent(run.context, { name: 'scout' });
    const message = part.context.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('Seen');
    message.complete({ metadata: { mood: 'calm' } });
    const whole = {
      ...run.context.response.createMessageBuilder('user').getMessageData(),
      id: 'm1',
      status: 'completed',
    };
    part.context.response.addMessage(whole as never);
    part.context.emit({ object: 'custom', name: 'mood', value: 1 });
    part.finish(null);
    part.fail({ code: 'LATE', message: 'Too late' });
    const owners = run.events.flatMap((event) => (event.object === 'message' ? [event.metadata?.['subagent_id']] : []));
    expect(new Set(owners)).toEqual(new Set([part.id]));
    expect(run.messages[0]?.metadata).toEqual({ mood: 'calm', subagent_id: part.id });
    expect(run.events.slice(-2)).toEqual([
      { object: 'custom', name: 'mood', value: 1, subagent_id: part.id },
      { object: 'subagent', status: 'finished', id: part.id, result: null },
    ]);
    expect(part.context.clientTools).toEqual([]);
    expect(part.text()).toBe('Seen');
    run.expectLegalStream();
  });
});
