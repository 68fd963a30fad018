import type { ModelRequest } from '../../src/agent/index.js';
import { call, finish, reasoning, type ScriptStep, text } from '../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../src/common/index.js';

/** The answers of a model to stock clients of Chat Completions, by what the user says. */
export function answerCompletion({ messages }: ModelRequest): readonly ScriptStep[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const said = JSON.stringify(messages[at]);
  const results = messages.slice(at).filter(({ role }) => role === 'tool').length;
  if (said.includes('fail')) return [text('It is '), { type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }];
  if (said.includes('hold')) return [text('a'), { type: 'hang' }];
  if (said.includes('animal')) return [text('{"name":"cat",'), text('"legs":4}'), finish()];
  if (said.includes('maps') && results === 0) {
    return [text('Looking.'), call(0, 'read_thermometer', '{"city":"Paris"}', 'call_t'), finish('tool-calls')];
  }
  if (said.includes('maps') && results === 1) {
    return [
      call(0, 'show_map', '{"place":"Paris"}', 'call_m'),
      call(1, 'show_map', '{"place":"Rome"}', 'call_n'),
      finish('tool-calls'),
    ];
  }
  if (said.includes('maps')) return [text('Here they are.'), finish()];
  if (said.includes('window') && results === 0) {
    return [call(0, 'open_window', '{"room":"kitchen"}', 'call_w'), finish('tool-calls')];
  }
  return [reasoning('Hm. '), text('It is '), text('fine.'), finish()];
}
