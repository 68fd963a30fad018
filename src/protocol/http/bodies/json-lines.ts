import type { StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Caller, CredentialWatch } from '../../../access/index.js';
import type { ActiveStreams } from '../sse/active-streams.js';

/** The media type of JSON Lines. */
export const JSON_LINES = 'application/jsonl';

/**
 * The answer to a download of JSON Lines. It is written as fast as it is read, and is cut when its reader takes nothing
 * for `SLOW_READER_TIMEOUT_MS`, and when the credential of its caller ends (contract access, section 3.6). HEAD is answered
 * without it: with the headers alone, and undefined.
 *
 * @param begin begins it: pieces of whole lines. Not called for HEAD
 * @throws what `begin` throws
 */
export async function jsonLines(
  begin: () => Promise<AsyncIterable<Uint8Array>>,
  filename: string,
  {
    active,
    credentials,
    caller,
    reply,
  }: {
    readonly active: ActiveStreams;
    readonly credentials: CredentialWatch;
    readonly caller: Caller;
    readonly reply: FastifyReply;
  },
): Promise<StreamableFile | undefined> {
  const lines = reply.request.method === 'HEAD' ? undefined : await begin();
  reply.header('content-disposition', `attachment; filename="${filename}"`);
  if (!lines) {
    reply.type(JSON_LINES);
    return undefined;
  }
  const file = active.download(lines, JSON_LINES, reply);
  const body = file.getStream();
  body.once(
    'close',
    credentials.watch(caller, () => body.destroy()),
  );
  return file;
}
