import { readSse } from './sse.js';

/** A body that arrives in these pieces. */
function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

describe('the reader of event streams', () => {
  it('cuts blocks wherever the pieces end, and skips comments', async () => {
    const bytes = new TextEncoder().encode(
      ': hello\n\nevent: a\nid: 7\ndata: {"n":1}\n\ndata: one\r\ndata: two\r\n\r\ndata: [DONE]\n\n',
    );
    for (let size = 1; size < bytes.length; size += 3) {
      const pieces = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size));
      const blocks = [];
      for await (const { data, event, id } of readSse(bodyOf(pieces))) blocks.push([data, event, id]);
      expect(blocks).toEqual([
        ['{"n":1}', 'a', '7'],
        ['one\ntwo', undefined, undefined],
        ['[DONE]', undefined, undefined],
      ]);
    }
  });

  it('a character that two pieces share is whole', async () => {
    const bytes = new TextEncoder().encode('data: é\n\n');
    const found = [];
    for await (const { data } of readSse(bodyOf([bytes.slice(0, 7), bytes.slice(7)]))) found.push(data);
    expect(found).toEqual(['é']);
  });
});
