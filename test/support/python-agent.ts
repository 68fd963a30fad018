import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, '../../examples/python-agent');

/** The example in Python as a process of its own. */
export class PythonAgent {
  private constructor(
    private readonly child: ChildProcess,
    /** What a server needs in its environment to serve it as `refunds`: the file of the example, with this address. */
    readonly env: { readonly REMOTE_AGENTS: string },
  ) {}

  /** @param pauseSeconds how long it waits before each word */
  static async start(pauseSeconds = 0): Promise<PythonAgent> {
    const args = [join(FOLDER, 'agent.py'), '0', String(pauseSeconds)];
    const child = spawn('python3', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const [, url = ''] = /listens on (\S+)/.exec(line.toString()) ?? [];
    const entry = readFileSync(join(FOLDER, 'remote-agents.json'), 'utf8');
    return new PythonAgent(child, { REMOTE_AGENTS: entry.replaceAll('http://127.0.0.1:8000/', url) });
  }

  stop(): void {
    this.child.kill();
  }
}
