import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { describeOnDatabases } from '../support/databases.js';
import { type RawAnswer, rawRequest } from '../support/raw-http.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { type Wire, WIRES } from '../support/wires.js';

const PIECES = 10;
const HEADERS = { 'content-type': 'text/event-stream' };

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const END = `${chunk({}, 'stop')}data: [DONE]\n\n`;

describeOnDatabases('a model server that sends a piece once the client has the one before', (openDatabase) => {
  /** The open answers of the model, by the words of the user. */
  const answers = new Map<string, ServerResponse>();
  let upstream: RawUpstream;
  let server: TestServer;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => {
      response.writeHead(200, HEADERS);
      const words = /(paced|short) \d+/.exec(JSON.stringify(upstream.seen.at(-1)?.body['messages']))?.[0] ?? '';
      if (words.startsWith('paced')) answers.set(words, response);
      else response.end(chunk({ content: 'Hello' }) + END);
    });
    server = await startServer({
      database: openDatabase,
      env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'sk-test', LLM_MODEL: 'm' },
    });
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  function say(wire: Wire, words: string, turn: number): RawAnswer {
    const { path, body, headers } = wire.say({ sessionId: randomUUID(), words, turn });
    // A conversation would have to exist.
    return rawRequest(server.port, 'POST', path, JSON.stringify({ ...body, conversation: undefined }), headers);
  }

  /** Writes each piece of an answer once the client has the one before. */
  async function pace(wire: Wire, turn: number): Promise<void> {
    const words = `paced ${turn}`;
    const client = say(wire, words, turn);
    await until(() => answers.has(words), `the model call on ${wire.name}`);
    for (let place = 0; place < PIECES; place += 1) {
      const piece = `piece-${turn}-${place};`;
      answers.get(words)?.write(chunk({ content: piece }));
      await until(() => client.bytes.includes(piece), `${piece} on ${wire.name}`);
    }
    answers.get(words)?.end(END);
    await until(() => client.ended, `the end on ${wire.name}`);
  }

  it('finishes its answers on every wire, beside short runs without pause', async () => {
    const paced = Promise.all([...WIRES, ...WIRES, ...WIRES].map((wire, place) => pace(wire, place)));
    let isOver = false;
    const short = async (turn: number): Promise<void> => {
      for (; !isOver; turn += 1) {
        const answer = say(WIRES[0] as Wire, `short ${turn}`, turn);
        await until(() => answer.ended, 'the end of a short run');
      }
    };
    const beside = Promise.all(Array.from({ length: 16 }, (_, place) => short(1_000 * (place + 1))));
    await Promise.all([paced.finally(() => (isOver = true)), beside]);
  });
});
