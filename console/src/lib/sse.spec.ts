import { readSse, SseSplitter } from './sse.js';

describe('the reader of event streams', () => {
  it('cuts frames wherever the pieces end, and skips comments', () => {
    const stream = ': hello\n\nevent: a\nid: 7\ndata: {"n":1}\n\ndata: one\r\ndata: two\r\n\r\ndata: [DONE]\n\n';
    for (let size = 1; size < stream.length; size += 3) {
      const splitter = new SseSplitter();
      const frames = [];
      for (let at = 0; at < stream.length; at += size) frames.push(...splitter.push(stream.slice(at, at + size)));
      expect(frames.map(({ data, event, id }) => [data, event, id])).toEqual([
        ['{"n":1}', 'a', '7'],
        ['one\ntwo', undefined, undefined],
        ['[DONE]', undefined, undefined],
      ]);
    }
  });

  it('a character that two pieces share is whole', async () => {
    const bytes = new TextEncoder().encode('data: é\n\n');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, 7));
        controller.enqueue(bytes.slice(7));
        controller.close();
      },
    });
    const found = [];
    for await (const { data } of readSse(body)) found.push(data);
    expect(found).toEqual(['é']);
  });
});
