import { ResponsesEncoder } from './responses.encoder.js';
import { allowing, ask, begun, call, encode, info, itemsOf, list, outcome, say } from './testing/encoded.js';

describe('the Responses encoder for tools', () => {
  it('the arguments of client tool calls are streamed', () => {
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

  it('a tool call of the server is one mcp_call with its outcome, and parallel ones are in call order', () => {
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

  it('a call that the agent answered itself is not shown as a call of the client', () => {
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

  it('a call of the server is shown before its outcome', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    const before = encode(log.logged()).reader;
    expect(before.types.slice(2)).toEqual([
      'response.output_item.added',
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
    ]);
    expect(before.events[2]?.item).toMatchObject({ id: 'mcp_1', status: 'in_progress', arguments: '', output: null });
    expect(before.events.at(-1)).toMatchObject({ item_id: 'mcp_1', output_index: 0, arguments: '{"city":"Rome"}' });
    outcome(log, 'plugin_call_output', 'call_1', 'sunny');
    expect(encode(log.logged()).reader.types.slice(7)).toEqual([
      'response.mcp_call.completed',
      'response.output_item.done',
    ]);
  });

  it('each piece of the arguments is shown with its event of the log', () => {
    const log = begun();
    call(log, 'mcp_call', 'call_1', 'get_weather', { server_label: 'weather' });
    const encoder = new ResponsesEncoder(info());
    const told = log.logged().map((event) => encoder.next(event).map((frame) => /^event: (\S+)/.exec(frame)?.[1]));
    const item = ['response.output_item.added', 'response.mcp_call.in_progress'];
    const piece = ['response.mcp_call_arguments.delta'];
    expect(told.slice(4)).toEqual([item, piece, piece, [], ['response.mcp_call_arguments.done']]);
  });

  it('a call that may need an approval is held back until it is known that it needs none', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather', { permission: 'none' });
    const events = log.logged();
    expect(encode(events.slice(0, -1)).reader.types).toEqual(['response.created', 'response.in_progress']);
    expect(encode(events).reader.types.slice(2)).toEqual([
      'response.output_item.added',
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
    ]);
  });

  it('a call that waits for an approval is shown as the request only, and the following items at once', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather', { permission: 'needed' });
    call(log, 'plugin_call', 'call_2', 'get_weather', { permission: 'none' });
    expect(itemsOf(encode(log.logged()).reader.events, 'added')).toEqual([['mcp_call', 'in_progress', 'mcp_2']]);
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

  it('a call that needs an approval is left out if the run ended before the request', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather', { permission: 'needed' });
    log.response.canceled();
    const { reader } = encode(log.logged());
    expect(reader.ended).toMatchObject({ status: 'cancelled', output: [] });
    expect(reader.types).toHaveLength(3);
  });

  it('a call for which an agent requests an approval unannounced is incomplete', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    ask(log, 'call_1');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(itemsOf(reader.events, 'done')).toEqual([
      ['mcp_call', 'incomplete', 'mcp_1'],
      ['mcp_approval_request', null, 'int_1'],
    ]);
    expect(reader.ended?.output.map(({ id }) => id)).toEqual(['int_1']);
  });

  it('a call that the agent answers is shown as it happens, and complete calls of other runs with their outcome', () => {
    const log = begun();
    call(log, 'function_call', 'call_1', 'own_tool');
    expect(itemsOf(encode(log.logged()).reader.events, 'added')).toEqual([['mcp_call', 'in_progress', 'mcp_1']]);
    const about = info();
    const foreign = { ...about, items: { ...about.items, clientTools: undefined } };
    expect(encode(log.logged(), foreign).reader.types).toHaveLength(2);
    log.response.completed();
    expect(encode(log.logged(), foreign).reader.ended?.output).toMatchObject([{ type: 'function_call', id: 'fc_1' }]);
  });

  describe('a call that the request approved', () => {
    it('the call is shown before its outcome, with its approval request', () => {
      const log = begun();
      const row = [
        'response.output_item.added',
        'response.mcp_call.in_progress',
        'response.mcp_call_arguments.delta',
        'response.mcp_call_arguments.done',
      ];
      expect(encode(log.logged(), allowing()).reader.types.slice(2)).toEqual(row);
      outcome(log, 'plugin_call_output', 'call_1', 'sunny', { approval_request_id: 'apr_1' });
      say(log, 'It is sunny.');
      log.response.completed();
      const { reader } = encode(log.logged(), allowing());
      expect(reader.types.slice(6, 8)).toEqual(['response.mcp_call.completed', 'response.output_item.done']);
      expect(reader.ended?.output).toMatchObject([
        {
          id: 'mcp_apr_1',
          type: 'mcp_call',
          status: 'completed',
          approval_request_id: 'apr_1',
          arguments: '{"city":"Rome"}',
          output: 'sunny',
        },
        { type: 'message' },
      ]);
    });

    it('the call is incomplete if the run ends first, and failed if the policy does not allow it', () => {
      const cut = begun();
      cut.response.canceled();
      const { reader } = encode(cut.logged(), allowing());
      expect(itemsOf(reader.events, 'done')).toEqual([['mcp_call', 'incomplete', 'mcp_apr_1']]);
      expect(reader.ended?.output).toMatchObject([
        { id: 'mcp_apr_1', status: 'incomplete', approval_request_id: 'apr_1', output: null, error: null },
      ]);
      const denied = begun();
      const flags = { approval_request_id: 'apr_1', denied: true, is_error: true };
      outcome(denied, 'plugin_call_output', 'call_1', 'not allowed', flags);
      denied.response.completed();
      const end = encode(denied.logged(), allowing()).reader;
      expect(itemsOf(end.events, 'done')).toEqual([['mcp_call', 'failed', 'mcp_apr_1']]);
      expect(end.ended?.output).toMatchObject([{ id: 'mcp_apr_1', status: 'failed', output: null }]);
    });
  });

  it('a call approved on another wire is shown with its outcome, and a denied one is not shown', () => {
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

  it('the tools of the servers that the request names are listed, and no others', () => {
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
