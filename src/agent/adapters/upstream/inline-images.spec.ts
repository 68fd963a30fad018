import { referenceOf } from '../../attachment/index.js';
import type { ModelPart, ModelRequest } from '../../ports/model-client.js';
import { withOwnAttachments } from '../../prompt/prompt.js';
import { GONE, withInlineImages } from './inline-images.js';

const path = (user: string): string =>
  referenceOf(`agent-inputs/default/${user}/2026/03/6f1c2a3e-9b1d-4c7e-8a53-0d2f5c1b7e90.png`);
const asking = (...content: ModelPart[]): ModelRequest => ({
  messages: [{ role: 'user', content }],
  tools: [],
  options: {},
});

describe('attached images of a prompt', () => {
  const bytes = Buffer.from([1, 2, 3]);
  const reader = { read: () => Promise.resolve({ bytes, mimeType: 'image/png' as const }) };

  it('an attached image becomes bytes for the model', async () => {
    const text: ModelPart = { type: 'text', text: 'What is this?' };
    const { messages } = await withInlineImages(asking(text, { type: 'image', url: path('alice') }), reader);
    expect(messages).toEqual(asking(text, { type: 'image', url: 'data:image/png;base64,AQID' }).messages);
  });

  it('a deleted image becomes a note', async () => {
    const gone = { read: () => Promise.resolve(undefined) };
    const { messages } = await withInlineImages(asking({ type: 'image', url: path('alice') }), gone);
    expect(messages).toEqual(asking({ type: 'text', text: GONE }).messages);
  });

  it('other content is unchanged', async () => {
    const request = asking({ type: 'image', url: 'https://example.org/a.png' });
    expect(await withInlineImages(request, reader)).toBe(request);
  });

  it('images of another user are never read', () => {
    const alice = { tenantId: 'default', userId: 'alice' };
    const mine: ModelPart = { type: 'image', url: path('alice') };
    const { messages } = asking(
      mine,
      { type: 'image', url: path('bob') },
      { type: 'image', url: 'parley-attachment:x' },
    );
    expect(withOwnAttachments(messages, alice)).toEqual(asking(mine).messages);
  });
});
