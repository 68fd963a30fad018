import { erasedKinds } from './erased-kinds.js';

describe('the lines of a receipt', () => {
  it('name kinds for people, what was kept last', () => {
    const lines = erasedKinds({ sessions: 2, usageEntriesKept: 7, calendarEvents: 1, pseudonyms: 1 });
    expect(lines.map(({ title, rows, isKept }) => [title, rows, isKept])).toEqual([
      ['Sessions', 2, false],
      ['Calendar events', 1, false],
      ['Names in the audit trail', 1, false],
      ['Usage entries', 7, true],
    ]);
  });
});
