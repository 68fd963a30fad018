import type { LLMock } from '@copilotkit/aimock';
import { AgentTool } from '../../src/index.js';
import * as agents from './code-agents.js';
import type { ServerOptions } from './server.js';

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const ROOM = { type: 'object', properties: { room: { type: 'string' } }, required: ['room'] };

/** How often the unsafe tool was used, by room. */
export const openedWindows: string[] = [];

class HouseTools {
  @AgentTool({ name: 'read_thermometer', description: 'The temperature.', effects: 'none', parameters: CITY })
  async readThermometer({ city }: { city: string }): Promise<unknown> {
    return { city, celsius: 21 };
  }

  @AgentTool({ name: 'open_window', description: 'Opens a window.', effects: 'unsafe', parameters: ROOM })
  async openWindow({ room }: { room: string }): Promise<string> {
    openedWindows.push(room);
    return `The window of the ${room} is open.`;
  }
}

/** The tool that clients declare in these specs. */
export const SHOW_MAP = {
  name: 'show_map',
  description: 'Shows a place on a map.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

/** A server for AG-UI clients: a model server with the script below, its tools, and agents that a test controls. */
export function agUiOptions({ providers = [], ...options }: ServerOptions = {}): ServerOptions {
  return {
    model: script,
    providers: [HouseTools, agents.FailingCodeAgent, agents.JournalingCodeAgent, ...providers],
    ...options,
  };
}

function script(modelServer: LLMock): void {
  const tools = (text: string, toolCalls: { name: string; arguments: string; id: string }[], answer: string): void => {
    modelServer.on({ userMessage: text, hasToolResult: false }, { toolCalls });
    modelServer.on({ userMessage: text, hasToolResult: true }, { content: answer });
  };
  modelServer.onMessage('plain text', { content: 'The sky is blue today.' });
  modelServer.onMessage('and then', { content: 'Then it rains.' });
  modelServer.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
  tools('one tool', [{ name: 'read_thermometer', arguments: '{"city":"Paris"}', id: 'call_a' }], 'Mild in Paris.');
  tools(
    'two tools',
    [
      { name: 'read_thermometer', arguments: '{"city":"Paris"}', id: 'call_b' },
      { name: 'read_thermometer', arguments: '{"city":"Rome"}', id: 'call_c' },
    ],
    'Both are mild.',
  );
  tools('show the map', [{ name: 'show_map', arguments: '{"place":"Paris"}', id: 'call_m' }], 'There it is.');
  tools(
    'both sides',
    [
      { name: 'read_thermometer', arguments: '{"city":"Paris"}', id: 'call_s' },
      { name: 'show_map', arguments: '{"place":"Paris"}', id: 'call_n' },
    ],
    'Seen and measured.',
  );
  tools('open the window', [{ name: 'open_window', arguments: '{"room":"kitchen"}', id: 'call_w' }], 'Fresh air.');
  tools(
    'open both windows',
    [
      { name: 'open_window', arguments: '{"room":"kitchen"}', id: 'call_x' },
      { name: 'open_window', arguments: '{"room":"attic"}', id: 'call_y' },
    ],
    'A breeze.',
  );
  modelServer.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
  modelServer.onMessage(
    'breaks off',
    { content: 'This answer is never told to its end.' },
    { truncateAfterChunks: 4, latency: 50 },
  );
  modelServer.onMessage('a long story', { content: 'Once upon a time. '.repeat(60) }, { latency: 20 });
}
