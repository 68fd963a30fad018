import { ScriptedLog } from '../../../test/support/scripted-log.js';
import type { AgentResponse } from '../../events/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';
import { withOpenCallsLast } from './terminal-output.js';

describe('the terminal response of the Agent API', () => {
  it('a call of the client is listed last, also if calls of the server came after it', () => {
    const log = new ScriptedLog();
    const add = (type: 'plugin_call' | 'plugin_call_output' | 'function_call', data: Record<string, string>) => {
      const message = log.response.createMessageBuilder(type === 'plugin_call_output' ? 'tool' : 'assistant', type);
      message.createContentBuilder('data').setData(data);
      message.complete();
    };
    add('function_call', { call_id: 'c1', name: 'open_window', arguments: '{}' });
    add('plugin_call', { call_id: 'c2', name: 'get_weather', arguments: '{}' });
    add('plugin_call_output', { call_id: 'c2', name: 'get_weather', output: 'sunny' });
    const response = log.response.completed();
    const encoder = new AgentApiEncoder({ doneFrame: false });
    const frames = log.logged().flatMap((event) => encoder.next(event));

    const terminal = JSON.parse((frames.at(-1) ?? '').slice('data: '.length)) as AgentResponse;
    const types = ['plugin_call', 'plugin_call_output', 'function_call'];
    expect(terminal.output?.map(({ type }) => type)).toEqual(types);
    expect(withOpenCallsLast(response).output?.map(({ type }) => type)).toEqual(types);
    // The call was streamed when it came.
    const shown = (id: string) => frames.findIndex((frame) => frame.includes(id));
    expect(shown('"c1"')).toBeLessThan(shown('"c2"'));
  });

  it('a correct order is unchanged', () => {
    const log = new ScriptedLog();
    const response = log.response.completed();
    expect(withOpenCallsLast(response)).toBe(response);
  });
});
