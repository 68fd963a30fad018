import type { JsonObject } from '../../common/index.js';
import { encoderRevisionOf, EncoderRevisions } from './encoder-revisions.js';

describe('the revisions of encoders', () => {
  const stored = (revisions: Readonly<Record<string, number>>, wireData = {}) => {
    const declared = new EncoderRevisions();
    for (const [wire, revision] of Object.entries(revisions)) declared.declare(wire, revision);
    return declared.stored(wireData);
  };

  it('a run stores nothing while all wires have their first revision', () => {
    expect(stored({ bell: 1, drum: 1 }, { input: 'kept' })).toEqual({ input: 'kept' });
    expect(new EncoderRevisions().stored()).toEqual({});
  });

  it('a run keeps the current revision of each wire', () => {
    const wireData = stored({ bell: 2, drum: 1 }, { input: 'kept' });
    expect(wireData).toEqual({ input: 'kept', encoder: { bell: 2 } });
    expect(['bell', 'drum', 'other'].map((wire) => encoderRevisionOf({ wireData }, wire))).toEqual([2, 1, 1]);
  });

  it('a run that takes over the data of an earlier one gets the current revisions', () => {
    expect(stored({ bell: 3 }, { input: 'kept', encoder: { bell: 2 } })).toEqual({
      input: 'kept',
      encoder: { bell: 3 },
    });
    expect(stored({ bell: 1 }, { encoder: { bell: 2 } })).toEqual({});
  });

  it.each<JsonObject>([{}, { encoder: 2 }, { encoder: [2] }, { encoder: null }, { encoder: { bell: '2' } }])(
    'a run with %j has revision 1',
    (wireData) => expect(encoderRevisionOf({ wireData }, 'bell')).toBe(1),
  );
});
