/**
 * A real MCP server over stdio that gives back the arguments of a call exactly as they came, as text and as a
 * structured result. JavaScript's own JSON would change large integers, so that they are taken from the bytes.
 */
import { PassThrough, Transform } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

let received = '';
const input = new PassThrough();
process.stdin.on('data', (chunk) => {
  received = /"arguments":(\{.*?\})/.exec(chunk.toString())?.[1] ?? received;
  input.write(chunk);
});
process.stdin.on('end', () => process.exit());
const output = new Transform({
  transform: (chunk, _encoding, done) => done(null, chunk.toString().replace(/"(-?\d+)n"/g, '$1')),
});
output.pipe(process.stdout);

const server = new Server({ name: 'exact', version: '1.0.0' }, { capabilities: { tools: {} } });
const inputSchema = { type: 'object', properties: { id: { type: 'integer', maximum: '9223372036854775807n' } } };
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'echo', inputSchema }] }));
server.setRequestHandler(CallToolRequestSchema, () => ({
  content: [{ type: 'text', text: received }],
  structuredContent: { id: '2512292042121000001n', text: '2512292042121000002' },
}));
await server.connect(new StdioServerTransport(input, output));
