import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SseParser } from './sse.js';

/** A request for the rest of a stream. */
export interface CursorRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stream that a client can continue. */
export interface CursorRoute {
  readonly name: string;
  /** @param seen how many frames the client has @param lastId the id of the last one */
  request(seen: number, lastId: string | undefined): CursorRequest;
}

/** How one connection of a reader ended. */
export type Ending = 'left' | 'ended' | 'sent away' | 'broken' | 'silent' | 'nothing left';

/** The wires that show a run while it goes on, to be read from a cursor. MCP is not among them: it sends the whole text. */
export const WATCHED = [
  'agent-api',
  'responses',
  'ag-ui',
  'ag-kit',
  'ag-kit-ag-ui',
  'ag-kit-bot',
  'runs',
  'chat-completions',
  'ai-sdk',
  'a2a',
  'a2a-0.3',
] as const;

/** `GET /runs/{runId}/events` in the frames of a wire, continued by the number of frames. */
export function watching(runId: string, protocol: string): CursorRoute {
  const path = `/runs/${runId}/events?protocol=${protocol}`;
  return { name: `watching as ${protocol}`, request: (seen) => ({ path: `${path}&after=${seen}` }) };
}

/** A response of the Agent API, continued by the number of the last event. */
export function agentApi(runId: string): CursorRoute {
  const path = `/process/${runId}?stream=true`;
  return { name: 'agent-api', request: (seen) => ({ path: `${path}&starting_after=${seen - 1}` }) };
}

/** A response of OpenAI Responses, continued by the number of the last event. */
export function responses(runId: string): CursorRoute {
  const path = `/v1/responses/${runId}?stream=true`;
  const after = (seen: number) => (seen === 0 ? '' : `&starting_after=${seen - 1}`);
  return { name: 'responses', request: (seen) => ({ path: path + after(seen) }) };
}

/** The events of a run of the Runs API, continued by the id of the last one. */
export function runsApi(threadId: string, runKey: string): CursorRoute {
  const path = `/api/v1/agent/runs/${threadId}/events?runId=${runKey}`;
  return {
    name: 'runs',
    request: (_, lastId) => ({ path, ...(lastId !== undefined && { headers: { 'last-event-id': lastId } }) }),
  };
}

/** The closing frames of wires that have one: they are not counted (contract attach, sections 2 and 3). */
const CLOSING = /The server is shutting down/;

/** Why a reader left a server from which nothing came. */
const SILENT = new Error('The server is silent');

/** A client that reads one run over as many connections, and at as many servers, as the test wants. */
export class CursorReader {
  /** The frames so far, byte for byte, without the time to reconnect. */
  readonly frames: string[] = [];
  /** The blocks that told it when to come back. */
  readonly retries: string[] = [];
  private lastId: string | undefined;

  constructor(readonly route: CursorRoute) {}

  /**
   * Continues at a server, until there are so many frames more, the connection ends or nothing arrives for a time.
   *
   * @param patienceMs how long the server may be silent; for ever by default
   * @throws Error for a status other than 200 and 204
   */
  async read(server: string, more = Number.POSITIVE_INFINITY, patienceMs?: number): Promise<Ending> {
    const { path, headers = {} } = this.route.request(this.frames.length, this.lastId);
    const leaving = new AbortController();
    const enough = this.frames.length + more;
    const timer = patienceMs === undefined ? undefined : setTimeout(() => leaving.abort(SILENT), patienceMs);
    try {
      return await this.readFrames(server + path, headers, leaving, enough, timer);
    } catch (error) {
      if (error === SILENT) return 'silent';
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private async readFrames(
    url: string,
    headers: Readonly<Record<string, string>>,
    leaving: AbortController,
    enough: number,
    timer: NodeJS.Timeout | undefined,
  ): Promise<Ending> {
    const answer = await connect(url, headers, leaving.signal);
    if (answer.statusCode === 204) return 'nothing left';
    if (answer.statusCode !== 200) {
      throw new Error(`${this.route.name}: ${url} is answered with ${answer.statusCode}: ${await text(answer)}`);
    }
    const parser = new SseParser();
    let isClosed = false;
    try {
      for await (const chunk of answer.setEncoding('utf8')) {
        timer?.refresh();
        for (const { id, data, raw } of parser.push(chunk as string)) {
          if (CLOSING.test(data)) isClosed = true;
          if (isClosed || data === '[DONE]') continue;
          this.frames.push(raw.replace(/^retry: \d+\n/m, ''));
          this.lastId = id ?? this.lastId;
        }
        if (this.frames.length < enough) continue;
        leaving.abort();
        return 'left';
      }
    } catch {
      return leaving.signal.aborted ? 'silent' : 'broken';
    }
    if (!answer.complete) return 'broken';
    this.retries.push(...parser.retries);
    return isClosed || parser.retries.length > 0 ? 'sent away' : 'ended';
  }

  /** All frames as a server sends them to a client that has none. */
  async whole(server: string): Promise<readonly string[]> {
    const reader = new CursorReader(this.route);
    await reader.read(server);
    return reader.frames;
  }
}

/**
 * Asks on a connection of its own. Not with `fetch`: of a connection that is to be closed it takes any end for the end of
 * the answer.
 *
 * @throws TypeError if there is no connection, as `fetch` does; what the signal was aborted with
 */
function connect(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, signal, agent: false }, resolve);
    request.once('error', (cause) =>
      reject(signal.aborted ? (signal.reason as Error) : new TypeError('No answer', { cause })),
    );
  });
}
