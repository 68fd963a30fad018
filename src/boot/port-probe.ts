import { createServer } from 'node:net';
import { StartupError } from '../common/index.js';

/**
 * Checks that the server can listen on the address. Called before anything else: a second server on the same
 * database must not take over runs that it cannot serve.
 *
 * @throws StartupError that says what to do about it
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}

/** The StartupError for a failed `listen`; any other error is returned unchanged. */
export function listenError(error: Error, host: string, port: number): Error {
  switch ('code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} on ${host} is already in use: stop the program that uses it, or choose another port with PORT=${port === 65_535 ? 8091 : port + 1}.`,
      );
    case 'EACCES':
      return new StartupError(`This user may not listen on port ${port}: choose a port above 1023 with PORT.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`HOST is ${host}, which is not an address of this machine.`);
    default:
      return error;
  }
}
