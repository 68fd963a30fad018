import type { ModelRequest } from '../../src/agent/index.js';
import { call, finish, type ScriptStep, text } from '../../src/agent/testing/scripted-model-client.js';

/**
 * A model that numbers its answers. A message with "hold" waits in the middle of its answer, "maps" calls the client's
 * `show_map` twice, "cut" waits in the middle of a call, "window" calls `open_window`, and "windows" calls it twice.
 *
 * @param pause called in the middle of an answer that waits
 */
export function chatScript(pause: () => Promise<void>): (request: ModelRequest) => readonly ScriptStep[] {
  return (request) => answer(request, pause);
}

function answer({ messages }: ModelRequest, pause: () => Promise<void>): readonly ScriptStep[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const said = JSON.stringify(messages[at]);
  const results = messages.slice(at).filter(({ role }) => role === 'tool').length;
  if (said.includes('hold')) return [text('Once '), { type: 'do', action: () => pause() }, text('upon'), finish()];
  if (said.includes('cut')) {
    return [
      call(0, 'read_thermometer', '{"room":"kit', `call_c${at}`),
      { type: 'do', action: () => pause() },
      finish('tool-calls'),
    ];
  }
  if (said.includes('maps') && results === 0) {
    return [
      call(0, 'show_map', '{"place":"Paris"}', `call_a${at}`),
      call(1, 'show_map', '{"place":"Rome"}', `call_b${at}`),
      finish('tool-calls'),
    ];
  }
  if (said.includes('windows') && results === 0) {
    return [
      call(0, 'open_window', '{"room":"kitchen"}', `call_a${at}`),
      call(1, 'open_window', '{"room":"hall"}', `call_b${at}`),
      finish('tool-calls'),
    ];
  }
  if (said.includes('window') && results === 0) {
    return [call(0, 'open_window', '{"room":"kitchen"}', `call_w${at}`), finish('tool-calls')];
  }
  return [text(`Answer to ${messages.filter(({ role }) => role === 'user').length}.`), finish()];
}
