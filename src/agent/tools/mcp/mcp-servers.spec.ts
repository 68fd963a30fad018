import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, readSettings } from '../../../config/index.js';
import { type McpServerConfig } from './mcp-servers.js';
import { McpSettings } from './mcp.settings.js';

function serversOf(servers: unknown, env: Record<string, string> = {}): readonly McpServerConfig[] {
  return readSettings(McpSettings, {
    ...env,
    MCP_SERVERS: typeof servers === 'string' ? servers : JSON.stringify(servers),
  }).servers;
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
  it('servers of both transports are read, with defaults', () => {
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
    ['{"a": sk-secret-value}', 'must be valid JSON, but is not (22 characters, not shown)'],
    [[], 'must be a JSON object of MCP servers by name'],
    [{ mcpServers: 1 }, 'must be a JSON object of MCP servers by name'],
    [{ a: 'npx' }, 'server "a": must be an object'],
    [{ a: {} }, 'server "a": must have either "command" or "url"'],
    [{ a: { command: 'x', url: 'http://h' } }, 'server "a": must have either "command" or "url"'],
    [{ 'a b': { command: 'x' } }, 'server "a b": the name must be 1 to 64 letters'],
    [{ a: { command: '' } }, '"command" must not be empty'],
    [{ a: { command: 'x', args: 'y' } }, '"args" must be a list of strings'],
    [{ a: { command: 'x', env: { A: 1 } } }, '"env" must be an object of strings'],
    [{ a: { command: 'x', headers: {} } }, '"headers" requires "url"'],
    [{ a: { command: 'x', allowTools: [] } }, 'unknown key "allowTools"'],
    [{ a: { command: 'x', prefix: 'a b' } }, '"prefix" must be at most 32 letters'],
    [{ a: { command: 'x', timeoutMs: 0 } }, '"timeoutMs" must be a whole number from 10 to'],
    [{ a: { command: 'x', timeoutMs: 100, maxTotalMs: 50 } }, '"maxTotalMs" must be a whole number from 100'],
    [{ a: { command: 'x', disabled: 'no' } }, '"disabled" must be true or false'],
    [{ a: { url: 'ftp://h' } }, '"url" must be an http:// or https:// address'],
    [{ a: { url: 'http://u:p@h' } }, '"url" must be an http:// or https:// address'],
    [{ a: { url: 'http://h', type: 'sse' } }, 'unknown transport "sse": must be stdio or http'],
    [{ a: { url: 'http://h', type: 'stdio' } }, 'the transport stdio requires "command"'],
    [{ a: { url: 'http://h', headers: { 'a b': 'c' } } }, 'the header "a b" has an invalid name or value'],
    [
      { a: { url: 'http://h', headers: { X: '${NO_TOKEN}' } } },
      '"headers" refers to the variable NO_TOKEN, which is not set',
    ],
  ])('%j is refused', (servers, sentence) => {
    const problems = problemsOf(servers);
    expect(problems).toContain('MCP_SERVERS ');
    expect(problems).toContain(sentence);
  });

  it('the example in docs/tools.md is accepted', () => {
    const example = readFileSync('docs/mcp-servers.example.json', 'utf8');
    expect(serversOf(example, { TICKETS_TOKEN: 'tok-12345678' })).toHaveLength(2);
    expect(readFileSync('docs/tools.md', 'utf8')).toContain('```json\n' + example + '```');
  });

  it('all problems are reported together, without secrets', () => {
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

  it('the servers of a file are added', () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: 'x' } } }));
    expect(
      readSettings(McpSettings, { MCP_SERVERS_FILE: file, MCP_SERVERS: '{"b":{"command":"y"}}' }).servers,
    ).toHaveLength(2);
  });

  it('a duplicate name and a missing file are rejected', () => {
    writeFileSync(file, '{"a":{"command":"x"}}');
    expect(() => readSettings(McpSettings, { MCP_SERVERS_FILE: file, MCP_SERVERS: '{"a":{"command":"y"}}' })).toThrow(
      'MCP_SERVERS_FILE server "a": is configured twice',
    );
    expect(() => readSettings(McpSettings, { MCP_SERVERS_FILE: join(folder, 'none.json') })).toThrow(
      'cannot be read (ENOENT)',
    );
  });
});
