import { suggestionsIn } from './suggestions.js';

describe('suggestions for a first message', () => {
  it.each([
    [
      'Answers questions about orders: "Where is my order A-1001?", "Cancel A-1002".',
      ['Where is my order A-1001?', 'Cancel A-1002'],
    ],
    ['Berät zu Bestellungen: „Wo ist meine Bestellung?“', ['Wo ist meine Bestellung?']],
    ['Says "hello".', []],
    ['Answers questions and uses tools.', []],
    ['"Say this now" and "Say this now"', ['Say this now']],
  ])('in %s are %j', (description, suggestions) => {
    expect(suggestionsIn(description)).toEqual(suggestions);
  });
});
