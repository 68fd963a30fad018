import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { McpSource } from '../../support/mcp-source.js';
import { until } from '../../support/until.js';

const SECRET = 'tok-very-secret-0815';

describe('the log about MCP servers', () => {
  const lines: string[] = [];
  let echo: Server;

  beforeAll(async () => {
    const note = (...parts: unknown[]): void => void lines.push(parts.map(String).join(' '));
    Logger.overrideLogger({ log: note, error: note, warn: note, debug: note, verbose: note });
    echo = createServer((request, response) => {
      response.writeHead(401).end(`You sent ${String(request.headers.authorization)}`);
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
  });
  beforeEach(() => void lines.splice(0));
  afterAll(() => {
    Logger.overrideLogger(false);
    echo.close();
  });

  it('a server that is down is logged once, without its secrets', async () => {
    const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/mcp`;
    const source = new McpSource({ web: { url, headers: { Authorization: `Bearer ${SECRET}` } } });
    expect(await source.names()).toEqual([]);
    await until(() => expect(lines.some((line) => line.includes('attempt 2'))).toBe(true));
    await source.close();
    expect(lines[0]).toContain('web: it cannot be connected: ');
    expect(lines[0]).toContain('You sent [secret]');
    expect(lines.filter((line) => line.includes('not available until'))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain(SECRET);
  });

  it('the standard error of a process is logged, limited and without its secrets', async () => {
    const program = `console.error('key ' + process.env.KEY); for (let i = 0; i < 5000; i++) console.error('line ' + i + 'x'.repeat(3000));`;
    const source = new McpSource({ talks: { command: process.execPath, args: ['-e', program], env: { KEY: SECRET } } });
    expect(await source.names()).toEqual([]);
    await source.close();
    const spoken = lines.filter((line) => /talks: (key|line) /.test(line));
    expect(spoken[0]).toContain('talks: key [secret]');
    expect(spoken.length).toBeGreaterThan(1);
    expect(spoken.length).toBeLessThanOrEqual(200);
    expect(Math.max(...spoken.map((line) => line.length))).toBeLessThan(1200);
    expect(lines.join('\n')).not.toContain(SECRET);
  });
});
