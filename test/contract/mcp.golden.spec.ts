import { fingerprint } from '../../src/common/index.js';
import { Seals } from '../../src/protocol/mcp/seals.js';
import { HAS_KEY } from '../support/caller.js';
import {
  GOLDEN_NOW,
  GOLDEN_QUESTION,
  type GoldenRequest,
  type GoldenScenario,
  goldenStreams,
} from '../support/golden.js';
import { envelope, MODERN } from '../support/mcp.js';

/** With a fixed key everything that is sealed is the same text each time. */
const KEY = { kid: 'golden', secret: 'golden-secret-of-32-characters-00' };
const ENV = { ATTACHMENT_SIGNING_KEYS: `${KEY.kid}:${KEY.secret}` };
const CAPABILITIES = { elicitation: {} };
const ARGUMENTS = { message: GOLDEN_QUESTION };

function modern(name: string, args: object, params: object = {}): GoldenRequest {
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  const _meta = envelope(CAPABILITIES, { progressToken: 'p' });
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, ...params, _meta } };
  return { path: '/mcp', headers, body };
}

/** The last message of an answer. */
function answered(answer = ''): { readonly inputRequests: object; readonly requestState: string } {
  const data = answer.split('\n').filter((line) => line.startsWith('data: '));
  return (JSON.parse(data.at(-1)?.slice(6) ?? '{}') as { result: ReturnType<typeof answered> }).result;
}

// Requests of another caller have other states.
if (!HAS_KEY) {
  goldenStreams({
    name: 'mcp',
    env: ENV,
    ask: () => modern('ask_worker', ARGUMENTS),
    then: {
      approval: [
        ([first]) => {
          const { inputRequests, requestState } = answered(first);
          const [id = ''] = Object.keys(inputRequests);
          const inputResponses = { [id]: { action: 'accept', content: { approve: true } } };
          return modern('ask_worker', ARGUMENTS, { inputResponses, requestState });
        },
      ],
    },
  });

  const seals = new Seals({ signingKeys: [KEY] } as never, { dataDir: '' } as never);
  const caller = fingerprint(['default', 'none', 'anonymous', 'anonymous']).slice(0, 20);
  const session = seals.seal('session', {
    i: '11111111-1111-7111-8111-111111111111',
    v: '2025-11-25',
    c: caller,
    t: GOLDEN_NOW,
    n: 'golden',
  });

  goldenStreams({
    name: 'mcp-legacy',
    wire: 'mcp',
    env: ENV,
    ask: (scenario: GoldenScenario): GoldenRequest => ({
      path: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
        'mcp-protocol-version': '2025-11-25',
      },
      body: {
        jsonrpc: '2.0',
        id: scenario,
        method: 'tools/call',
        params: { name: 'ask_worker', arguments: ARGUMENTS, _meta: { progressToken: 7 } },
      },
    }),
  });
} else {
  it.skip('golden streams of MCP have a caller without a key', () => undefined);
}
