import { entryOf } from './sent-messages.js';

describe('a stored message of the person', () => {
  it('is shown with its texts and images', () => {
    const content = [
      { type: 'image', image_url: 'data:image/png;base64,x' },
      { type: 'text', text: 'What' },
      { type: 'text', text: 'is this?' },
      { type: 'data', data: {} },
    ];
    expect(entryOf(4, { role: 'user', type: 'message', content })).toEqual({
      kind: 'user',
      id: 'user-message-4',
      text: 'What\nis this?',
      images: ['data:image/png;base64,x'],
    });
  });

  it.each([{ role: 'assistant', type: 'message' }, { role: 'user', type: 'mcp_approval_response' }, null, 'text'])(
    '%j is not one',
    (message) => {
      expect(entryOf(1, message)).toBeUndefined();
    },
  );
});
