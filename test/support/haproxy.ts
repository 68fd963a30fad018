import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

const CONFIGURATION = join(__dirname, '../../deploy/compose/haproxy.cfg');
const BINARY = ['/usr/sbin/haproxy', '/usr/bin/haproxy'].find(existsSync);

/** Why specs with a load balancer are skipped; undefined if they can run. */
export const NO_HAPROXY = BINARY ? undefined : 'HAProxy is not installed';

/** The load balancer of the Compose file, with its configuration, before two servers of this machine. */
export class HaProxy {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    readonly port: number,
    private readonly statsPort: number,
  ) {}

  /** @param ports the ports of two servers */
  static async start(ports: readonly [number, number]): Promise<HaProxy> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-haproxy-'));
    const [port, statsPort, healthPort] = [await freePort(), await freePort(), await freePort()];
    const text = readFileSync(CONFIGURATION, 'utf8')
      // As many connections as any account may have.
      .replace('maxconn 20000', 'maxconn 500')
      .replace('bind :8090', `bind 127.0.0.1:${port}`)
      .replace('127.0.0.1:8404', `127.0.0.1:${healthPort}`)
      .replace('parley-1:8090', `127.0.0.1:${ports[0]}`)
      .replace('parley-2:8090', `127.0.0.1:${ports[1]}`);
    const stats = `\nfrontend stats\n  bind 127.0.0.1:${statsPort}\n  stats enable\n  stats uri /\n`;
    const file = join(folder, 'haproxy.cfg');
    await writeFile(file, text + stats);
    const child = spawn(BINARY ?? '', ['-db', '-f', file], { stdio: 'ignore' });
    const balancer = new HaProxy(folder, child, port, statsPort);
    await until(
      async () => (await balancer.states()).every((state) => state.startsWith('UP')),
      'both servers to be up',
    );
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it knows of each server, such as `UP` or `DOWN`. */
  async states(): Promise<readonly string[]> {
    const answer = await fetch(`http://127.0.0.1:${this.statsPort}/;csv`, { headers: { connection: 'close' } });
    const [head = '', ...lines] = (await answer.text()).replace(/^# /, '').trim().split('\n');
    const column = head.split(',').indexOf('status');
    return lines.filter((line) => /^parley,parley-\d/.test(line)).map((line) => line.split(',')[column] ?? '');
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
