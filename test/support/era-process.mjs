/*
 * An MCP server over its input and output, by its argument: `modern` knows nothing but the modern revision, `silent` has
 * sessions and ignores what it does not know, `dying` has sessions and ends when the first message is another one.
 */
import { createInterface } from 'node:readline';

const [, , kind = 'modern'] = process.argv;
const TOOL = { name: 'where', inputSchema: { type: 'object' } };
let isFirst = true;

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** @param {{ id: number, params: { _meta?: { progressToken?: number } } }} call */
function called({ id, params }) {
  const token = params._meta?.progressToken;
  if (token !== undefined) {
    send({ method: 'notifications/progress', params: { progressToken: token, progress: 1, message: 'half' } });
  }
  const done = kind === 'modern' ? { resultType: 'complete' } : {};
  send({ id, result: { ...done, content: [{ type: 'text', text: kind }] } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  if (isFirst && kind === 'dying' && method !== 'initialize') process.exit(1);
  isFirst = false;
  if (method === 'tools/list') send({ id, result: { resultType: 'complete', tools: [TOOL] } });
  else if (method === 'tools/call') called(message);
  else if (kind === 'modern') {
    const result = {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      serverInfo: { name: 'm', version: '1' },
    };
    if (method === 'server/discover') send({ id, result: { resultType: 'complete', ...result } });
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  } else if (method === 'initialize') {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  } else if (method === 'ping') send({ id, result: {} });
});
