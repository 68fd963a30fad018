import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenOnLoopback } from './loopback-server.js';

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  const port = await listenOnLoopback(probe);
  probe.close();
  await once(probe, 'close');
  return port;
}
