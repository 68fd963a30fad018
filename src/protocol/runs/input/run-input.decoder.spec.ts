import { BINARY, decode, good, THREAD, TIME, USER, withBlock, without, withTime } from './testing/run-bodies.js';

describe('a valid RunAgentInput', () => {
  it('it is decoded to canonical ids, defaults and known fields', () => {
    const input = decode({
      ...without('state'),
      threadId: THREAD.toUpperCase(),
      tools: null,
      context: null,
      state: null,
      parentRunId: 'run-000',
      protocolVersion: '1.0.0',
      messages: [
        { ...USER, name: 'Ana', more: true },
        { id: 'a', role: 'activity', activityType: 'x', content: { a: 1 } },
      ],
    });
    expect(input).toEqual({
      threadId: THREAD,
      runId: 'run-001',
      parentRunId: 'run-000',
      state: {},
      messages: [
        { ...USER, name: 'Ana' },
        { id: 'a', role: 'activity', activityType: 'x', content: { a: 1 } },
      ],
      user: { id: 'msg-001', blocks: [{ type: 'text', text: USER.content }] },
      tools: [],
      context: [],
      agentType: 'worker',
      clientTime: undefined,
    });
  });

  it('values at every limit are accepted', () => {
    const messages = [
      { ...USER, content: [{ type: 'text', text: '😀'.repeat(10_000) }, BINARY, BINARY, BINARY] },
      ...Array.from({ length: 199 }, (_, id) => ({ id: `${id}`, role: 'developer', content: '' })),
    ];
    const input = decode(good({ runId: '😀'.repeat(128), messages }));
    expect(input.messages).toHaveLength(200);
    expect(input.user.blocks).toHaveLength(4);
  });

  it('snake_case is accepted for names of the schema only', () => {
    const opaque = { thread_id: 1, tool_calls: 2, mime_type: 3 };
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"run_id":1}' } };
    const snake = {
      thread_id: THREAD,
      run_id: 'run-001',
      runId: 'run-001',
      parent_run_id: 'p',
      forwarded_props: { agent_type: 'worker' },
      state: opaque,
      tools: [{ name: 'f', description: '', parameters: { properties: opaque } }],
      messages: [
        { id: 'u', role: 'user', content: [{ type: 'binary', mime_type: 'image/png', url: 'u' }] },
        { id: 'a', role: 'assistant', content: null, tool_calls: [{ ...call, encrypted_value: 'e' }] },
        { id: 't', role: 'tool', content: '', tool_call_id: 'c', encrypted_value: 'e' },
      ],
    };
    const input = decode(snake);
    expect(input.state).toEqual(opaque);
    expect(input.tools[0]).toEqual(snake.tools[0]);
    expect(input.messages).toEqual([
      { id: 'u', role: 'user', content: [{ type: 'binary', mimeType: 'image/png', url: 'u' }] },
      { id: 'a', role: 'assistant', toolCalls: [{ ...call, encryptedValue: 'e' }] },
      { id: 't', role: 'tool', content: '', toolCallId: 'c', encryptedValue: 'e' },
    ]);
    expect(input.user.blocks).toEqual([{ type: 'binary', mimeType: 'image/png', url: 'u' }]);
  });

  it('an AG-UI image part is accepted instead of an attachment', () => {
    const source = { type: 'url', value: 'https://files.example.com/a.png' };
    expect(decode(withBlock({ type: 'image', source })).user.blocks[1]).toEqual({
      type: 'binary',
      mimeType: undefined,
      url: source.value,
    });
    const typed = decode(withBlock({ type: 'image', source: { ...source, mime_type: 'image/PNG' } }));
    expect(typed.user.blocks[1]).toMatchObject({ mimeType: 'image/png' });
  });

  it('the epoch is not compared with the time', () => {
    expect(decode(withTime({})).clientTime).toEqual(TIME);
    for (const zone of ['EST', 'PST8PDT', 'Etc/GMT+8', 'asia/shanghai']) {
      expect(decode(withTime({ device_timezone: zone })).clientTime).toBeDefined();
    }
  });

  it('a client_time with an invalid value is dropped where the server allows it', () => {
    expect(decode(withTime({ device_timezone: 'Asia/Beijing' }), 'fallback').clientTime).toBeUndefined();
    expect(() => decode(withTime({ more: 1 }), 'fallback')).toThrow('invalid RunAgentInput.forwardedProps');
  });
});
