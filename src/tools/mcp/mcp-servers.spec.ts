import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../../config/index.js';
import { type McpServerConfig } from './mcp-servers.js';
import { McpSettings } from './mcp.settings.js';

function serversOf(servers: unknown, env: Record<string, string> = {}): readonly McpServerConfig[] {
  return McpSettings.from({ ...env, MCP_SERVERS: typeof servers === 'string' ? servers : JSON.stringify(servers) })
    .servers;
}

function problemsOf(servers: unknown, env: Record<string, string> = {}): string {
  try {
    serversOf(servers, env);
  } catch (error) {
    if (error instanceof ConfigurationError)
      return error.problems.map(({ name, message }) => `${name} ${message}`).join('\n');
    throw error;
  }
  return '';
}

describe('MCP_SERVERS', () => {
  it('reads servers of both transports, with defaults', () => {
    const env = { TOOL_TIMEOUT_MS: '2000', TOKEN: 'tok-12345678', ROOT: '/srv/files' };
    const servers = {
      files: { command: 'npx', args: ['-y', 'server', '${ROOT}'], env: { KEY: '${TOKEN}', MODE: '${MODE:-dev}' } },
      web: {
        type: 'streamable-http',
        url: 'https://mcp.example.org/mcp',
        headers: { Authorization: 'Bearer ${TOKEN}' },
        prefix: 'web_',
        allowedTools: ['search'],
        timeoutMs: 500,
        maxTotalMs: 900,
        required: true,
      },
      off: { command: 'x', disabled: true },
    };
    const [files, web, ...others] = serversOf({ mcpServers: servers }, env);
    expect(others).toEqual([]);
    expect(files).toEqual({
      label: 'files',
      transport: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', 'server', '/srv/files'],
        env: { KEY: 'tok-12345678', MODE: 'dev' },
        cwd: undefined,
      },
      prefix: '',
      allowedTools: undefined,
      timeoutMs: 2000,
      maxTotalMs: 20_000,
      required: false,
      secrets: ['/srv/files', 'tok-12345678'],
    });
    expect(web).toMatchObject({
      transport: { kind: 'http', headers: { Authorization: 'Bearer tok-12345678' } },
      prefix: 'web_',
      allowedTools: ['search'],
      timeoutMs: 500,
      maxTotalMs: 900,
      required: true,
      secrets: ['tok-12345678', 'Bearer tok-12345678'],
    });
    expect(serversOf(servers, env)).toHaveLength(2);
  });

  it.each([
    ['{"a": sk-secret-value}', 'must be JSON, but is a text of 22 characters (not shown) that is not'],
    [[], 'must be a JSON object of MCP servers by name'],
    [{ mcpServers: 1 }, 'must be a JSON object of MCP servers by name'],
    [{ a: 'npx' }, 'names the server "a", which must be an object'],
    [{ a: {} }, 'names the server "a", which needs either a "command" or a "url"'],
    [{ a: { command: 'x', url: 'http://h' } }, 'names the server "a", which needs either a "command" or a "url"'],
    [{ 'a b': { command: 'x' } }, 'names the server "a b", which has a name other than 1 to 64 letters'],
    [{ a: { command: '' } }, 'which has an empty "command"'],
    [{ a: { command: 'x', args: 'y' } }, 'which must have a "args" that is a list of texts'],
    [{ a: { command: 'x', env: { A: 1 } } }, 'which must have a "env" that is an object of texts'],
    [{ a: { command: 'x', headers: {} } }, 'which has "headers", which belongs to a server with a "url"'],
    [{ a: { command: 'x', allowTools: [] } }, 'which has the unknown key "allowTools"'],
    [{ a: { command: 'x', prefix: 'a b' } }, 'which has a "prefix" other than'],
    [{ a: { command: 'x', timeoutMs: 0 } }, 'which must have a "timeoutMs" that is a whole number from 10 to'],
    [
      { a: { command: 'x', timeoutMs: 100, maxTotalMs: 50 } },
      'which must have a "maxTotalMs" that is a whole number from 100',
    ],
    [{ a: { command: 'x', disabled: 'no' } }, 'which must have a "disabled" that is true or false'],
    [{ a: { url: 'ftp://h' } }, 'which must have a "url" that is an http:// or https:// address'],
    [{ a: { url: 'http://u:p@h' } }, 'which must have a "url" that is an http:// or https:// address'],
    [{ a: { url: 'http://h', type: 'sse' } }, 'which has the transport "sse", which is none of stdio, http'],
    [{ a: { url: 'http://h', type: 'stdio' } }, 'which has the transport stdio and no "command"'],
    [{ a: { url: 'http://h', headers: { 'a b': 'c' } } }, 'which has the header "a b", which cannot be sent'],
    [
      { a: { url: 'http://h', headers: { X: '${NO_TOKEN}' } } },
      'which needs the variable NO_TOKEN in "headers", but it is not set',
    ],
  ])('refuses %j', (servers, sentence) => {
    const problems = problemsOf(servers);
    expect(problems).toContain('MCP_SERVERS ');
    expect(problems).toContain(sentence);
  });

  it('reads the example of the documentation, which shows it as it is', () => {
    const example = readFileSync('docs/mcp-servers.example.json', 'utf8');
    expect(serversOf(example, { TICKETS_TOKEN: 'tok-12345678' })).toHaveLength(2);
    expect(readFileSync('docs/tools.md', 'utf8')).toContain('```json\n' + example + '```');
  });

  it('says everything that is wrong at once and never a secret', () => {
    const env = { TOKEN: 'tok-12345678' };
    const problems = problemsOf(
      { a: { url: '${TOKEN}' }, b: { command: 'x', env: { K: 'plain-secret' }, oops: 1 } },
      env,
    );
    expect(problems.split('\n')).toHaveLength(2);
    expect(problems).not.toMatch(/tok-|plain-secret/);
  });
});

describe('MCP_SERVERS_FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
  const file = join(folder, 'servers.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('adds the servers of a file', () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: 'x' } } }));
    expect(McpSettings.from({ MCP_SERVERS_FILE: file, MCP_SERVERS: '{"b":{"command":"y"}}' }).servers).toHaveLength(2);
  });

  it('refuses a name that is given twice, and a file that is not there', () => {
    writeFileSync(file, '{"a":{"command":"x"}}');
    expect(() => McpSettings.from({ MCP_SERVERS_FILE: file, MCP_SERVERS: '{"a":{"command":"y"}}' })).toThrow(
      'MCP_SERVERS_FILE names the server "a", which is named twice',
    );
    expect(() => McpSettings.from({ MCP_SERVERS_FILE: join(folder, 'none.json') })).toThrow('cannot be read (ENOENT)');
  });
});
