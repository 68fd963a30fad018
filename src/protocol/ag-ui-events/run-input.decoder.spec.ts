import { toAgUiMessages } from './message-encoder.js';
import { decodeRunInput } from './run-input.decoder.js';

const base = { threadId: 't', runId: 'r', messages: [] };

describe('a RunAgentInput', () => {
  it('a thread, a run and messages are required; null means absent, and snake_case is accepted', () => {
    const input = decodeRunInput({
      thread_id: 't',
      run_id: 'r',
      parent_run_id: null,
      messages: [{ id: 'a', role: 'tool', tool_call_id: 'c', content: 'x' }],
      tools: null,
      context: null,
      state: null,
      forwarded_props: { agent_type: 'worker', thread_id: 'kept' },
      resume: [{ interrupt_id: 'i', payload: { interrupt_id: 'kept' } }],
      unknown: 1,
    });
    expect(input).toMatchObject({
      threadId: 't',
      runId: 'r',
      tools: [],
      context: [],
      forwardedProps: { agent_type: 'worker', thread_id: 'kept' },
      resume: [{ interruptId: 'i', status: 'resolved', payload: { interrupt_id: 'kept' } }],
    });
    expect('state' in input || 'parentRunId' in input || 'protocolVersion' in input).toBe(false);
    expect(decodeRunInput({ ...base, thread_id: 'other', state: {} })).toMatchObject({ threadId: 't' });
  });

  it.each([
    [[], 'PARAMETER_VALIDATION'],
    [{ ...base, threadId: undefined }, 'MISSING_PARAMETER'],
    [{ ...base, threadId: '' }, 'INVALID_PARAMETER'],
    [{ ...base, runId: 7 }, 'PARAMETER_VALIDATION'],
    [{ ...base, messages: undefined }, 'MISSING_PARAMETER'],
    [{ ...base, messages: [null] }, 'PARAMETER_VALIDATION'],
    [{ ...base, messages: [{ id: 'a' }] }, 'MISSING_PARAMETER'],
    [{ ...base, messages: [{ id: 'a', role: 'king', content: '' }] }, 'INVALID_PARAMETER'],
    [{ ...base, messages: [{ id: 'a', role: 'tool', content: '' }] }, 'MISSING_PARAMETER'],
    [{ ...base, messages: [{ id: 'a', role: 'assistant', toolCalls: [{ id: 'c' }] }] }, 'MISSING_PARAMETER'],
    [{ ...base, messages: [{ id: 'a', role: 'user', content: [{ type: 'hologram' }] }] }, 'INVALID_PARAMETER'],
    [{ ...base, state: [] }, 'PARAMETER_VALIDATION'],
    [{ ...base, tools: [{ name: 'a b' }] }, 'INVALID_PARAMETER'],
    [{ ...base, context: [{ description: 'd', value: {} }] }, 'PARAMETER_VALIDATION'],
    [{ ...base, resume: [{ interruptId: 'i', status: 'maybe' }] }, 'INVALID_PARAMETER'],
    [{ ...base, protocolVersion: 'one' }, 'INVALID_PARAMETER'],
  ])('%j is refused', (body, code) => {
    expect(() => decodeRunInput(body)).toThrow(expect.objectContaining({ code }));
  });

  it.each([[true], [false], ['{"type":"object"}'], [7], [[]], [null], [undefined]])(
    'any JSON is accepted as the parameters of a tool, and describes no arguments: %j',
    (parameters) => {
      const { tools } = decodeRunInput({ ...base, tools: [{ name: 'f', description: 'd', parameters }] });
      expect(tools).toEqual([{ name: 'f', description: 'd', parameters: { type: 'object', properties: {} } }]);
    },
  );

  it('the parameters of a tool are unchanged', () => {
    const parameters = { type: 'object', properties: { thread_id: { type: 'string', default: null } } };
    expect(decodeRunInput({ ...base, tools: [{ name: 'f', parameters }] }).tools[0]?.parameters).toEqual(parameters);
  });

  it('an assistant message is split into text and calls with stable ids', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      { id: 'a', role: 'assistant', content: 'Well', toolCalls: [call] },
      { id: 'b', role: 'assistant', content: null, tool_calls: [{ ...call, id: 'c2' }] },
      { id: 'x', role: 'activity', activityType: 'PLAN', content: {} },
      { id: 'p', role: 'tool', toolCallId: 'c1', content: 'Forwarded to client' },
      { role: 'user', content: 'hi' },
      { role: 'user', content: 'hi' },
    ];
    const first = decodeRunInput({ ...base, messages }).messages;
    expect(first.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call', 'message', 'message']);
    expect([first[0]?.id, first[2]?.id]).toEqual(['a', 'b']);
    const again = decodeRunInput({ ...base, runId: 'r2', messages }).messages;
    expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id));
    expect(new Set(first.map(({ id }) => id)).size).toBe(first.length);
  });

  it('the subagent of a message is kept', () => {
    const messages = [
      {
        id: 'a',
        role: 'assistant',
        content: 'x',
        subagentRunId: 's',
        toolCalls: [{ id: 'c', function: { name: 'f' } }],
      },
      { id: 't', role: 'tool', toolCallId: 'c', content: 'y', subagent_run_id: 's' },
      { id: 'u', role: 'user', content: 'z' },
    ];
    const owners = decodeRunInput({ ...base, messages }).messages.map(({ metadata }) => metadata?.['subagent_id']);
    expect(owners).toEqual(['s', 's', 's', undefined]);
  });

  it('metadata and encrypted values of messages are returned to the client', () => {
    const noted = { metadata: { parentId: null, tags: ['a'] }, encryptedValue: 'sealed' };
    const messages = [
      { id: 'u', role: 'user', content: 'x', ...noted },
      { id: 'a', role: 'assistant', content: 'y', ...noted },
      { id: 't', role: 'tool', toolCallId: 'c', content: 'z', ...noted },
      { id: 'r', role: 'reasoning', content: 'w', ...noted },
    ];
    expect(toAgUiMessages(decodeRunInput({ ...base, messages }).messages, 'v0')).toEqual(messages);
    expect(() => decodeRunInput({ ...base, messages: [{ ...messages[0], metadata: 'x' }] })).toThrow(/metadata/);
  });

  it('the reserved key of the state is dropped', () => {
    const reserved = { __request_context__: { user: { id: 'root' } } };
    expect(decodeRunInput({ ...base, state: { ...reserved, title: 'Rain' } }).state).toEqual({ title: 'Rain' });
    expect(decodeRunInput({ ...base, state: reserved })).not.toHaveProperty('state');
  });

  it('pictures are read in both forms, and encrypted values are kept', () => {
    const image = { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } };
    const messages = [
      {
        id: 'u',
        role: 'user',
        content: [
          image,
          { type: 'binary', mime_type: 'image/png', url: 'https://a/b.png' },
          { type: 'binary', mimeType: 'application/pdf', id: 'f1', filename: 'a.pdf' },
        ],
      },
      { id: 'r', role: 'reasoning', content: 'hm', encrypted_value: 'sealed' },
    ];
    const [user, reasoning] = decodeRunInput({ ...base, messages }).messages;
    expect(user?.content).toMatchObject([
      { type: 'image', image_url: 'data:image/png;base64,AAAA' },
      { type: 'image', image_url: 'https://a/b.png' },
      { type: 'file', file_id: 'f1', filename: 'a.pdf' },
    ]);
    expect(reasoning).toMatchObject({ type: 'reasoning', metadata: { encrypted_value: 'sealed' } });
  });
});
