import { wordsOf } from './message-words.js';

const data = (fields: object): object[] => [{ type: 'data', data: fields }];

describe('a message of a session in words', () => {
  it('is the text of whoever wrote it', () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image', image_url: 'https://a/b.png' },
    ];
    const message = { role: 'user', type: 'message', content };
    expect(wordsOf(message)).toMatchObject({ who: 'User', kind: 'user', text: 'Look', images: ['https://a/b.png'] });
    expect(wordsOf({ ...message, role: 'assistant' })).toMatchObject({ who: 'Agent', kind: 'agent' });
  });

  it.each(['function', 'plugin', 'mcp'])('names the tool of a %s call and of its result', (kind) => {
    const call = { type: `${kind}_call`, content: data({ call_id: 'c', name: 'pay', arguments: '{"amount":5}' }) };
    expect(wordsOf(call)).toMatchObject({ who: 'Call', tool: 'pay', data: '{\n  "amount": 5\n}' });
    const result = { type: `${kind}_call_output`, content: data({ call_id: 'c', name: 'pay', output: 'paid' }) };
    expect(wordsOf(result)).toMatchObject({ who: 'Result', tool: 'pay', data: 'paid' });
  });

  it('says what was asked and decided', () => {
    const asked = { type: 'mcp_approval_request', content: data({ name: 'pay', arguments: '{}' }) };
    expect(wordsOf(asked)).toMatchObject({ who: 'Asks for approval', tool: 'pay', data: '{}' });
    const denied = { type: 'mcp_approval_response', content: data({ approve: false, reason: 'No.' }) };
    expect(wordsOf(denied)).toMatchObject({ who: 'Decision', text: 'Denied: No.' });
  });

  it('of a kind that is not known is shown with its data', () => {
    expect(wordsOf({ type: 'web_search', content: data({ a: 1 }) })).toMatchObject({
      who: 'web search',
      kind: 'other',
    });
    expect(wordsOf(null)).toMatchObject({ who: 'Message', text: '' });
  });
});
