import type { Duplex } from 'node:stream';

/** Bytes that are still read from a client that is refused while it sends. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Milliseconds for which they are read. */
const MOST_MS = 10_000;

/**
 * Takes over a raw socket that Node has let go of: a connection that breaks is no error of the server, and without a
 * listener it would end the process. Call it before anything else is done with the socket.
 */
export function ownSocket(socket: Duplex): void {
  socket.on('error', ignoreError);
}

/** Answers on a raw socket that `ownSocket` has taken over, and closes it as `closeInStages`. */
export function answerAndClose(socket: Duplex, answer: string): void {
  socket.write(answer);
  closeInStages(socket, socket);
}

/**
 * Closes a connection after what was written: a socket that is closed while its client still sends is reset, and many
 * clients then never see their answer. So the server ends its own side, reads what comes for ten seconds and 32 MiB at
 * most, and closes with the client.
 *
 * @param source what is read to its end: the request, if a parser reads the socket
 */
export function closeInStages(socket: Duplex, source: NodeJS.ReadableStream): void {
  const destroy = (): void => void socket.destroy();
  const timer = setTimeout(destroy, MOST_MS).unref();
  let left = MOST_BYTES;
  socket.end();
  socket.once('end', destroy).once('close', () => clearTimeout(timer));
  source.once('end', destroy).on('data', (data: Buffer) => {
    left -= data.length;
    if (left < 0) destroy();
  });
}

function ignoreError(): void {
  // The socket closes by itself.
}
