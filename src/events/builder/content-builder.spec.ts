import { SequentialIds } from '../../common/index.js';
import { CONTENT_TYPES, ResponseFold, type Content, type ContentType } from '../index.js';
import type { ContentBuilder } from './content-builder.js';
import type { MessageBuilder } from './message-builder.js';
import { ResponseBuilder } from './response-builder.js';

function setup(): { response: ResponseBuilder; message: MessageBuilder } {
  const response = new ResponseBuilder({ ids: new SequentialIds(), clock: { now: () => 0 } });
  const message = response.createMessageBuilder();
  message.inProgress();
  response.drain();
  return { response, message };
}

const HEAD = { object: 'content', error: null, index: 0, msg_id: 'msg_1' };

/** Every setter with its type and the value it makes. */
const SETTERS: [string, ContentType, (content: ContentBuilder) => Content, object][] = [
  ['addTextDelta', 'text', (content) => content.addTextDelta('a'), { text: 'a' }],
  ['setText', 'text', (content) => content.setText('a'), { text: 'a' }],
  ['addRefusalDelta', 'refusal', (content) => content.addRefusalDelta('no'), { refusal: 'no' }],
  ['setRefusal', 'refusal', (content) => content.setRefusal('no'), { refusal: 'no' }],
  [
    'setImageUrl',
    'image',
    (content) => content.setImageUrl('data:image/png;base64,AA=='),
    { image_url: 'data:image/png;base64,AA==' },
  ],
  ['addDataDelta', 'data', (content) => content.addDataDelta({ a: 1 }), { data: { a: 1 } }],
  ['setData', 'data', (content) => content.setData({ a: 1 }), { data: { a: 1 } }],
  ['updateData', 'data', (content) => content.updateData('a', [1]), { data: { a: [1] } }],
  ['setAudio', 'audio', (content) => content.setAudio('AA==', 'wav'), { data: 'AA==', format: 'wav' }],
  [
    'setFile',
    'file',
    (content) => content.setFile({ file_url: 'https://example.com/a', filename: 'a' }),
    { file_url: 'https://example.com/a', file_id: null, filename: 'a', file_data: null },
  ],
  [
    'setVideoUrl',
    'video',
    (content) => content.setVideoUrl('https://example.com/v'),
    { video_url: 'https://example.com/v' },
  ],
];

describe('ContentBuilder', () => {
  it.each(SETTERS)('%s makes an event of %s content, and complete the full value', (name, type, call, value) => {
    const { response, message } = setup();
    const content = message.createContentBuilder(type);
    const delta = name.startsWith('add');
    const event = call(content);
    expect(event).toEqual({ ...HEAD, type, status: 'in_progress', delta, ...value });
    expect(response.drain().at(-1)).toBe(event);
    expect(content.getContentData()).toEqual({ ...HEAD, type, status: 'in_progress', delta: false, ...value });
    const completed = content.complete();
    expect(completed).toEqual({ ...HEAD, type, status: 'completed', delta: false, ...value });
    expect(message.getMessageData().content).toEqual([completed]);
  });

  it.each(SETTERS)('%s is refused by contents that are not %s content', (name, type, call) => {
    for (const other of CONTENT_TYPES.filter((one) => one !== type)) {
      const { response, message } = setup();
      const content = message.createContentBuilder(other);
      expect(() => call(content)).toThrow(
        expect.objectContaining({ code: 'WRONG_CONTENT_TYPE', message: `${name} only supported for ${type} content` }),
      );
      expect(response.drain()).toEqual([]);
    }
  });

  it.each(SETTERS)('%s is refused after the content is closed', (_, type, call) => {
    const { response, message } = setup();
    const content = message.createContentBuilder(type);
    const event = content.complete();
    response.drain();
    expect(() => call(content)).toThrow(expect.objectContaining({ code: 'GRAMMAR' }));
    expect(() => content.incomplete()).toThrow('content 0 of message msg_1 is already completed');
    expect(content.complete()).toBe(event);
    expect(response.drain()).toEqual([]);
  });

  it('a slot that begins with a set is opened by an empty delta, except for data in slot 0', () => {
    const { response, message } = setup();
    message.createContentBuilder('data').setData({ a: 1 });
    expect(response.drain()).toMatchObject([{ index: 0, delta: false, data: { a: 1 } }]);
    message.createContentBuilder('data').setData({ a: 1 });
    message.createContentBuilder('text').setText('a');
    expect(response.drain()).toMatchObject([
      { index: 1, delta: true, data: {} },
      { index: 1, delta: false, data: { a: 1 } },
      { index: 2, delta: true, text: '' },
      { index: 2, delta: false, text: 'a' },
    ]);
  });

  it('a content that is completed at once is opened by an empty delta', () => {
    for (const type of CONTENT_TYPES) {
      const { response, message } = setup();
      message.createContentBuilder(type).complete();
      expect(response.drain()).toMatchObject([
        { status: 'in_progress', delta: true },
        { status: 'completed', delta: false },
      ]);
    }
  });

  it('null is an empty delta', () => {
    const { message } = setup();
    const content = message.createContentBuilder();
    expect(content.addDelta(null)).toMatchObject({ text: '', delta: true });
    content.addTextDelta(undefined);
    expect(content.complete()).toMatchObject({ text: '' });
  });

  it('a set replaces the value and deltas append to it', () => {
    const { response, message } = setup();
    const content = message.createContentBuilder();
    content.addTextDelta('lost');
    content.setText('pre ');
    content.addTextDelta('x');
    expect(content.complete()).toMatchObject({ text: 'pre x' });
    const fold = new ResponseFold();
    const before = new ResponseBuilder({ responseId: response.id, ids: new SequentialIds() });
    before.createMessageBuilder().inProgress();
    for (const event of [...before.drain(), ...response.drain()]) fold.apply(event);
    expect(fold.message('msg_1')?.content).toMatchObject([{ text: 'pre x' }]);
  });

  it('data deltas are merged and single keys updated', () => {
    const { message } = setup();
    const content = message.createContentBuilder('data');
    content.addDataDelta({ call_id: 'call_1', name: 'get_weather', arguments: '' });
    content.addDataDelta({ arguments: '{"city":' });
    content.addDataDelta({ arguments: '"HZ"}' });
    expect(content.updateData('done', true)).toMatchObject({ delta: false, data: { name: 'get_weather', done: true } });
    expect(content.complete()).toMatchObject({
      data: { call_id: 'call_1', name: 'get_weather', arguments: '{"city":"HZ"}', done: true },
    });
  });

  it('values are copied on input and frozen on output', () => {
    const { message } = setup();
    const content = message.createContentBuilder('data');
    const data = { list: [1] };
    const event = content.setData(data);
    data.list.push(2);
    expect(event).toMatchObject({ data: { list: [1] } });
    expect(content.complete()).toMatchObject({ data: { list: [1] } });
    expect(Object.isFrozen(data.list)).toBe(false);
    expect(Object.isFrozen(content.getContentData())).toBe(true);
    expect(Object.isFrozen(message.createContentBuilder().addTextDelta('a'))).toBe(true);
  });

  it('a content can be cut off', () => {
    const { message } = setup();
    const content = message.createContentBuilder();
    content.addTextDelta('par');
    const event = content.incomplete();
    expect(event).toMatchObject({ status: 'incomplete', delta: false, text: 'par' });
    expect(content.incomplete()).toBe(event);
  });
});
