import { TimeOrderedIds } from './ids.js';

describe('TimeOrderedIds', () => {
  const ids = new TimeOrderedIds();

  afterEach(() => jest.restoreAllMocks());

  it('makes UUIDs of version 7 that hold the time', () => {
    jest.spyOn(Date, 'now').mockReturnValue(0x0123_4567_89ab);
    expect(ids.uuid()).toMatch(/^01234567-89ab-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(ids.next('msg_')).toMatch(/^msg_01234567-89ab-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('makes another id each time in the same millisecond', () => {
    jest.spyOn(Date, 'now').mockReturnValue(0);
    expect(new Set(Array.from({ length: 1000 }, () => ids.next(''))).size).toBe(1000);
  });

  it('makes ids that sort after those of earlier milliseconds', () => {
    const now = jest.spyOn(Date, 'now');
    const made = [9, 10, 15, 16, 255, 256, 2 ** 40, 2 ** 41].map((time) => {
      now.mockReturnValue(time);
      return ids.next('run_');
    });
    expect([...made].sort()).toEqual(made);
  });
});
