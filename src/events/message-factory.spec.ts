import { dataMessage, dataOf, messageOf, textMessage, textOf } from './index.js';

describe('the message factories', () => {
  it('textMessage makes a completed message', () => {
    expect(textMessage({ id: 'm', role: 'user', text: 'Hi' })).toEqual({
      object: 'message',
      status: 'completed',
      error: null,
      id: 'm',
      type: 'message',
      role: 'user',
      content: [
        {
          object: 'content',
          status: 'completed',
          error: null,
          type: 'text',
          index: 0,
          delta: false,
          msg_id: 'm',
          text: 'Hi',
        },
      ],
      code: null,
      message: null,
      usage: null,
      metadata: null,
    });
  });

  it('dataMessage makes a message that dataOf reads', () => {
    const data = { call_id: 'call_1', name: 'get_weather', arguments: '{}' };
    const message = dataMessage({ id: 'm', role: 'assistant', type: 'plugin_call', data });
    expect(message).toMatchObject({ type: 'plugin_call', content: [{ type: 'data', data }] });
    expect(dataOf(message)).toEqual(data);
    expect(textOf(message)).toBe('');
  });

  it('textOf joins the texts', () => {
    const message = messageOf({ id: 'm', role: 'user' }, [
      { type: 'text', text: 'a' },
      { type: 'image', image_url: 'https://example.com' },
      { type: 'text', text: 'b' },
    ]);
    expect(textOf(message)).toBe('ab');
    expect(message.content?.map((content) => content.index)).toEqual([0, 1, 2]);
    expect(textOf({ content: null })).toBe('');
    expect(dataOf({ content: null })).toBeUndefined();
  });
});
