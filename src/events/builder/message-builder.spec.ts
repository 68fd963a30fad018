import { SequentialIds } from '../../common/index.js';
import type { BuilderEvent, ContentType } from '../index.js';
import type { MessageBuilder } from './message-builder.js';
import { ResponseBuilder } from './response-builder.js';

function setup(): { response: ResponseBuilder; message: MessageBuilder; drain: () => BuilderEvent[] } {
  const response = new ResponseBuilder({ ids: new SequentialIds(), clock: { now: () => 0 } });
  response.inProgress();
  response.drain();
  return { response, message: response.createMessageBuilder(), drain: () => response.drain() };
}

const EMPTY = {
  object: 'message',
  error: null,
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [],
  code: null,
  message: null,
  usage: null,
  metadata: null,
};

describe('MessageBuilder', () => {
  it('a message is announced by two events', () => {
    const { message, drain } = setup();
    expect(message.getMessageData()).toEqual({ ...EMPTY, status: 'created' });
    expect(message.created()).toEqual({ ...EMPTY, status: 'created' });
    expect(message.inProgress()).toEqual({ ...EMPTY, status: 'in_progress' });
    drain();
    expect(() => message.created()).toThrow('message msg_1 was already announced');
    expect(() => message.inProgress()).toThrow('message msg_1 is already in progress');
    expect(drain()).toEqual([]);
  });

  it('the data of its announcement is repeated until it is closed', () => {
    const { message } = setup();
    const metadata = { permission: 'possible' };
    expect(message.created({ metadata }).metadata).toEqual(metadata);
    expect(message.inProgress().metadata).toEqual(metadata);
    expect(message.getMessageData().metadata).toEqual(metadata);
    expect(message.complete().metadata).toBeNull();
  });

  it('only the next free index is accepted', () => {
    const { message, drain } = setup();
    expect(message.createContentBuilder('text', 0).index).toBe(0);
    expect(message.createContentBuilder('image', 1).index).toBe(1);
    expect(() => message.createContentBuilder('text', 1)).toThrow(
      'content index 1 of message msg_1 is taken; the next is 2',
    );
    expect(() => message.createContentBuilder('text', 3)).toThrow(
      'content index 3 of message msg_1 leaves a gap; the next is 2',
    );
    expect(() => message.createContentBuilder('hologram' as ContentType)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_CONTENT_TYPE', message: 'Unsupported content type: hologram' }),
    );
    expect(drain()).toEqual([]);
  });

  it('lower slots are opened first and empty slots left out', () => {
    const { message, drain } = setup();
    message.createContentBuilder('text');
    const second = message.createContentBuilder('text');
    message.createContentBuilder('text');
    second.addTextDelta('b');
    expect(drain().slice(2)).toMatchObject([
      { index: 0, text: '' },
      { index: 1, text: 'b' },
    ]);
    expect(message.complete().content).toMatchObject([
      { index: 0, text: '' },
      { index: 1, text: 'b' },
    ]);
  });

  it('completing a message completes its open contents, and a second call returns the same', () => {
    const { message, drain } = setup();
    message.createContentBuilder().addTextDelta('a');
    const usage = { input_tokens: 1, output_tokens: 2 };
    const event = message.complete({ usage, metadata: { original_id: 'x' } });
    expect(event).toEqual({
      ...EMPTY,
      status: 'completed',
      usage,
      metadata: { original_id: 'x' },
      content: [
        {
          object: 'content',
          status: 'completed',
          error: null,
          type: 'text',
          index: 0,
          delta: false,
          msg_id: 'msg_1',
          text: 'a',
        },
      ],
    });
    expect(
      drain()
        .slice(3)
        .map((one) => `${one.object} ${one.status}`),
    ).toEqual(['content completed', 'message completed']);
    expect(message.complete()).toBe(event);
    expect(() => message.incomplete()).toThrow('message msg_1 is already completed');
    expect(() => message.createContentBuilder()).toThrow('createContentBuilder after message msg_1 is completed');
    expect(drain()).toEqual([]);
  });

  it.each([
    ['incomplete', 'incomplete'],
    ['canceled', 'canceled'],
  ] as const)('a message can be cut off as %s', (status, inner) => {
    const { message } = setup();
    message.createContentBuilder().addTextDelta('par');
    expect(message[status]()).toMatchObject({ status, content: [{ status: inner, text: 'par' }] });
  });

  it('a message can fail with an error', () => {
    const { message } = setup();
    message.createContentBuilder().addTextDelta('par');
    const error = { code: 'TOOL_EXECUTION_FAILED', message: 'boom' };
    expect(message.fail(error)).toMatchObject({
      ...error,
      status: 'failed',
      error,
      content: [{ status: 'incomplete' }],
    });
  });

  it('a complete content is added as one delta and its completion', () => {
    const { message, drain } = setup();
    const event = message.addContent({ type: 'image', image_url: 'https://example.com/i.png' });
    expect(event).toMatchObject({ status: 'completed', index: 0, msg_id: 'msg_1', delta: false });
    expect(drain().slice(2)).toMatchObject([
      { status: 'in_progress', delta: true, image_url: 'https://example.com/i.png' },
      { status: 'completed', delta: false, image_url: 'https://example.com/i.png' },
    ]);
    expect(() => message.addContent({ type: 'text', text: 'a', index: 0 })).toThrow('is taken');
    expect(message.addContent({ type: 'text', text: 'a', index: 1, status: 'incomplete' })).toMatchObject({
      status: 'incomplete',
    });
  });

  it('pieces are added by index', () => {
    const { message } = setup();
    expect(message.addDeltaContent({ type: 'text', text: 'He' })).toMatchObject({
      index: 0,
      delta: true,
      status: 'in_progress',
    });
    message.addDeltaContent({ type: 'text', text: 'llo', index: 0, delta: true });
    expect(message.contentCompleted(0)).toMatchObject({
      text: 'Hello',
      delta: false,
      status: 'completed',
      index: 0,
      msg_id: 'msg_1',
    });
    expect(message.contentCompleted(0)).toBe(message.getMessageData().content?.[0]);
    message.addDeltaContent({ type: 'data', data: { a: 'x' }, index: 1 });
    message.addDeltaContent({ type: 'data', data: { a: 'y', n: 1 }, index: 1, delta: true });
    expect(message.contentCompleted(1)).toMatchObject({ data: { a: 'xy', n: 1 } });
    message.addDeltaContent({ type: 'audio', data: 'AA', format: 'wav' });
    message.addDeltaContent({ type: 'audio', data: 'BB', format: 'wav', index: 2 });
    expect(message.contentCompleted(2)).toMatchObject({ data: 'AABB', format: 'wav' });
    message.addDeltaContent({ type: 'text', text: 'old', index: 3 });
    expect(message.addDeltaContent({ type: 'text', text: 'new', index: 3, delta: false })).toMatchObject({
      text: 'new',
      delta: false,
    });
  });

  it('pieces that do not fit are refused', () => {
    const { message, drain } = setup();
    message.addDeltaContent({ type: 'text', text: 'a' });
    drain();
    expect(() => message.addDeltaContent({ type: 'data', data: {}, index: 0 })).toThrow(
      'content 0 is of type text, not data',
    );
    expect(() => message.addDeltaContent({ type: 'text', text: 'a', index: 2 })).toThrow('leaves a gap');
    expect(() => message.contentCompleted(1)).toThrow('message msg_1 has no content 1');
    message.contentCompleted(0);
    drain();
    expect(() => message.addDeltaContent({ type: 'text', text: 'b', index: 0 })).toThrow(
      'addDeltaContent after content 0 of message msg_1 is completed',
    );
    expect(drain()).toEqual([]);
  });
});
