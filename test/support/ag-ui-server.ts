import { LLMock } from '@copilotkit/aimock';
import type { Type } from '@nestjs/common';
import { AgentTool } from '../../src/index.js';
import * as agents from './code-agents.js';
import type { TestDatabase } from './databases.js';
import { bootApp, type TestApp } from './test-app.js';

/** A server for AG-UI clients: its model is a model server over HTTP, and agents whose behaviour a test chooses. */
export interface AgUiServer {
  readonly url: string;
  readonly upstream: LLMock;
  readonly app: TestApp;
  close(): Promise<void>;
}

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

/** @param open the database to use; dropped when the server is closed. A temporary SQLite file otherwise. */
export async function bootAgUi(
  env: NodeJS.ProcessEnv = {},
  open?: () => Promise<TestDatabase>,
  /** Further agents. */
  agentClasses: readonly Type[] = [],
): Promise<AgUiServer> {
  const database = await open?.();
  const upstream = new LLMock({ port: 0, chunkSize: 5 });
  script(upstream);
  await upstream.start();
  const app = await bootApp(
    { LLM_BASE_URL: `${upstream.url}/v1`, LLM_API_KEY: 'sk-test', LLM_MAX_RETRIES: '0', ...database?.env, ...env },
    { providers: [HouseTools, agents.FailingCodeAgent, agents.JournalingCodeAgent, ...agentClasses] },
  );
  const close = async (): Promise<void> => {
    await app.close();
    await upstream.stop();
    await database?.drop();
  };
  return { url: app.url, upstream, app, close };
}

function script(upstream: LLMock): void {
  const tools = (text: string, toolCalls: { name: string; arguments: string; id: string }[], answer: string): void => {
    upstream.on({ userMessage: text, hasToolResult: false }, { toolCalls });
    upstream.on({ userMessage: text, hasToolResult: true }, { content: answer });
  };
  upstream.onMessage('plain text', { content: 'The sky is blue today.' });
  upstream.onMessage('and then', { content: 'Then it rains.' });
  upstream.onMessage('reasoned text', { content: 'So it is.', reasoning: 'Let me think.' });
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
  upstream.onMessage('server error', { error: { message: 'secret', type: 'server_error' }, status: 500 });
  upstream.onMessage(
    'breaks off',
    { content: 'This answer is never told to its end.' },
    { truncateAfterChunks: 4, latency: 50 },
  );
  upstream.onMessage('a long story', { content: 'Once upon a time. '.repeat(60) }, { latency: 20 });
}
