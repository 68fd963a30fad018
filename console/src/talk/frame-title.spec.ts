import { frameTitle } from './frame-title.js';

describe('the line of a frame', () => {
  it.each([
    ['data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hello"}', 'TEXT_MESSAGE_CONTENT', '"Hello"'],
    ['id: 3\nevent: x\ndata: {"type":"RUN_FINISHED","runId":"r"}', 'RUN_FINISHED', '{"runId":"r"}'],
    [
      'data: {"object":"message","type":"reasoning","status":"created","id":"m"}',
      'message reasoning created',
      '{"id":"m"}',
    ],
    ['data: [DONE]', '[DONE]', ''],
    ['data: {"a":1}', 'data', '{"a":1}'],
  ])('of %s says what it is', (raw, type, rest) => {
    expect(frameTitle(raw)).toEqual({ type, rest });
  });

  it('has the beginning of a long frame', () => {
    expect(frameTitle(`data: {"type":"x","text":"${'a'.repeat(1000)}"}`).rest).toHaveLength(200);
  });
});
