import type { RunWriter } from '../log/run-writer.js';
import type { MessageCommitter } from './message-committer.js';
import { RunControl } from './run-control.js';
import { RunJournal } from './run-journal.js';

const writer = { now: 0, step: () => undefined, append: () => undefined } as unknown as RunWriter;
const messages = { afterStep: () => [] } as unknown as MessageCommitter;

describe('the journal of a run that is to be handed over', () => {
  let control: RunControl;
  let journal: RunJournal;

  beforeEach(() => {
    control = new RunControl({ deadline: Infinity });
    const stored = { key: 'model-1', status: 'finished', inputHash: 'h', output: {}, messageIds: [] } as const;
    journal = new RunJournal(writer, [stored], messages, () => control.checkpoint());
  });

  it('the step in progress is finished, and the next one does not begin', () => {
    expect(journal.finished('model-2', 'h')).toBeUndefined();
    control.drain();
    expect(control.stopped).toBeUndefined();
    journal.finish('model-2', 'h', {}, []);
    expect(control.stopped).toBeUndefined();
    expect(() => journal.finished('tool-1', 'h')).toThrow('shutdown');
    expect(control.stopped).toBe('shutdown');
  });

  it('steps that are in progress together are all finished', () => {
    expect(journal.finished('tool-1', 'h')).toBeUndefined();
    control.drain();
    expect(journal.finished('tool-2', 'h')).toBeUndefined();
    journal.finish('tool-1', 'h', {}, []);
    expect(journal.finished('tool-3', 'h')).toBeUndefined();
    journal.finish('tool-2', 'h', {}, []);
    journal.finish('tool-3', 'h', {}, []);
    expect(() => journal.finished('model-2', 'h')).toThrow('shutdown');
  });

  it('steps of earlier attempts are read as usual', () => {
    control.drain();
    expect(journal.finished('model-1', 'h')).toEqual({ output: {} });
    expect(control.stopped).toBeUndefined();
  });
});
