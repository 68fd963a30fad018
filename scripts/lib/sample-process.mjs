import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('sample-server.mjs', import.meta.url));

/**
 * The sample server as a process, once it listens.
 *
 * @param {string} folder for its data
 * @param {number} port 0 takes a free one
 * @param {Record<string, string>} settings
 */
export async function serve(folder, port, settings = {}) {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: String(port),
    LEASE_MS: '2000',
    LOG_LEVEL: 'info',
    ...settings,
  };
  const server = spawn(process.execPath, [MAIN], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let [output, url] = ['', ''];
  while (url === '') {
    if (server.exitCode !== null) throw new Error('The sample server did not start');
    const [chunk] = await once(server.stdout, 'data');
    output += String(chunk);
    url = / listens on (http:\S+)\n/.exec(output)?.[1] ?? '';
  }
  server.stdout.resume();
  return { server, url };
}
