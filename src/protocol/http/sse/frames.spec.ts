import { commentFrame, dataFrame, DONE_FRAME, eventFrame, PING_FRAME } from './frames.js';

describe('frames', () => {
  it('JSON is on one line and other text is split into lines', () => {
    expect(dataFrame('{"a":"\\n"}')).toBe('data: {"a":"\\n"}\n\n');
    expect(dataFrame('a\nb\r\nc\rd')).toBe('data: a\ndata: b\ndata: c\ndata: d\n\n');
    expect(dataFrame('a\u2028b')).toBe('data: a\u2028b\n\n');
    expect([DONE_FRAME, PING_FRAME]).toEqual(['data: [DONE]\n\n', ': ping\n\n']);
  });

  it('no text can forge a frame', () => {
    expect(commentFrame('a\r\ndata: x\n\n')).toBe(': a data: x  \n\n');
    expect(eventFrame('{}', { event: 'e', id: '1' })).toBe('event: e\nid: 1\ndata: {}\n\n');
    for (const value of ['a\nb', 'a\rb', 'a\0b']) {
      expect(() => eventFrame('{}', { event: value })).toThrow(TypeError);
      expect(() => eventFrame('{}', { id: value })).toThrow(TypeError);
    }
  });
});
