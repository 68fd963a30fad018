import { ask, begun, call, encode, info, itemsOf, list, outcome, say } from './testing/encoded.js';

describe('the Responses encoder, for tools', () => {
  it("streams the arguments of the client's calls", () => {
    const log = begun();
    call(log, 'function_call', 'call_1', 'lookup');
    call(log, 'function_call', 'call_2', 'lookup');
    log.response.completed();
    const { reader } = encode(log.logged());
    const row = [
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ];
    expect(reader.types.slice(2, -1)).toEqual([...row, ...row]);
    expect(reader.events[2]?.item).toMatchObject({ id: 'fc_1', status: 'in_progress', arguments: '', name: 'lookup' });
    expect(reader.ended?.output).toMatchObject([
      { id: 'fc_1', type: 'function_call', call_id: 'call_1', arguments: '{"city":"Rome"}', status: 'completed' },
      { id: 'fc_2', type: 'function_call', call_id: 'call_2' },
    ]);
  });

  it('shows a tool of the server as one mcp_call with its outcome, parallel ones in the order of their calls', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    call(log, 'mcp_call', 'call_2', 'get_weather', { server_label: 'weather' });
    outcome(log, 'mcp_call_output', 'call_2', 'no such city', { is_error: true });
    outcome(log, 'plugin_call_output', 'call_1', 'sunny');
    say(log, 'It is sunny.');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(itemsOf(reader.events, 'added')).toEqual([
      ['mcp_call', 'in_progress', 'mcp_1'],
      ['mcp_call', 'in_progress', 'mcp_2'],
      ['message', 'in_progress', 'msg_5'],
    ]);
    expect(reader.types.filter((type) => type.startsWith('response.mcp_call.'))).toEqual([
      'response.mcp_call.in_progress',
      'response.mcp_call.in_progress',
      'response.mcp_call.failed',
      'response.mcp_call.completed',
    ]);
    expect(reader.ended?.output).toEqual([
      {
        id: 'mcp_1',
        type: 'mcp_call',
        status: 'completed',
        server_label: 'plugin',
        name: 'get_weather',
        arguments: '{"city":"Rome"}',
        output: 'sunny',
        error: null,
        approval_request_id: null,
      },
      {
        id: 'mcp_2',
        type: 'mcp_call',
        status: 'failed',
        server_label: 'weather',
        name: 'get_weather',
        arguments: '{"city":"Rome"}',
        output: null,
        error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'no such city' }] },
        approval_request_id: null,
      },
      expect.objectContaining({ id: 'msg_5' }),
    ]);
  });

  it('never shows a call that the agent answered itself as one of the client', () => {
    const log = begun();
    call(log, 'function_call', 'call_1', 'own_tool');
    outcome(log, 'function_call_output', 'call_1', 'done');
    say(log, 'Done.');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(reader.ended?.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    expect(reader.ended?.output[0]).toMatchObject({ server_label: 'worker', output: 'done' });
    expect(itemsOf(reader.events, 'done')).toHaveLength(2);
  });

  it('shows a call that waits for a permission only as the request', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    call(log, 'plugin_call', 'call_2', 'get_weather');
    outcome(log, 'plugin_call_output', 'call_2', 'sunny');
    ask(log, 'call_1');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(itemsOf(reader.events, 'done')).toEqual([
      ['mcp_call', 'completed', 'mcp_2'],
      ['mcp_approval_request', null, 'int_1'],
    ]);
    expect(reader.ended?.output.map(({ id }) => id)).toEqual(['mcp_2', 'int_1']);
    expect(reader.ended?.output[1]).toEqual({
      id: 'int_1',
      type: 'mcp_approval_request',
      server_label: 'plugin',
      name: 'get_weather',
      arguments: '{"city":"Rome"}',
    });
  });

  it('shows an approved call with what was asked for, and nothing of a refused one', () => {
    const log = begun();
    outcome(log, 'plugin_call_output', 'call_1', 'sunny', { approval_request_id: 'int_1' });
    outcome(log, 'plugin_call_output', 'call_2', 'refused', {
      approval_request_id: 'int_2',
      denied: true,
      is_error: true,
    });
    say(log, 'It is sunny.');
    log.response.completed();
    const request = {
      id: 'int_1',
      type: 'mcp_approval_request',
      server_label: 'plugin',
      name: 'get_weather',
      arguments: '{"city":"Rome"}',
    } as const;
    const about = info();
    const { reader } = encode(log.logged(), {
      ...about,
      items: { ...about.items, approvals: new Map([['int_1', request]]) },
    });
    expect(reader.ended?.output).toMatchObject([
      { type: 'mcp_call', approval_request_id: 'int_1', arguments: '{"city":"Rome"}', output: 'sunny' },
      { type: 'message' },
    ]);
    expect(reader.types.filter((type) => type.includes('mcp_call'))).toEqual([
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
    ]);
  });

  it('lists the tools of the servers that the request names, and of no others', () => {
    const log = begun();
    list(log, { server_label: 'notes', tools: [{ name: 'echo', description: null }] });
    list(log, { server_label: 'files', tools: [{ name: 'read' }] });
    list(log, { server_label: 'late', tools: [], error: 'The server is not available.' });
    say(log, 'Hello.');
    log.response.completed();
    const unasked = encode(log.logged()).reader;
    expect(unasked.ended?.output.map(({ type }) => type)).toEqual(['message']);
    expect(unasked.types.filter((type) => type.includes('mcp'))).toEqual([]);
    const tools = ['notes', 'late'].map((label) => ({ type: 'mcp', server_label: label }));
    const { reader } = encode(log.logged(), info({ tools }));
    expect(reader.ended?.output).toMatchObject([
      { type: 'mcp_list_tools', server_label: 'notes', tools: [{ name: 'echo' }] },
      { type: 'mcp_list_tools', server_label: 'late', tools: [], error: 'The server is not available.' },
      { type: 'message' },
    ]);
    expect(reader.types.slice(2, 10)).toEqual([
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.failed',
      'response.output_item.done',
    ]);
    expect(JSON.stringify(reader.ended)).not.toContain('"description":null');
  });
});
