import { JsonEntry } from '../../../../config/index.js';
import { readRemoteEntry, type RemoteAgentConfig } from '../../../remote/remote-config.js';
import { cardMs, interfaceOf } from './a2a-card.js';
import { A2aProtocol } from './a2a-protocol.js';

const configOf = (url: string): RemoteAgentConfig =>
  readRemoteEntry(new JsonEntry('travel', { type: 'a2a', url }, {}, 'remote agent')) as RemoteAgentConfig;

describe('the card of a remote agent of A2A', () => {
  const date = 'Fri, 27 Nov 2026 00:00:00 GMT';
  it.each([
    [{}, 300],
    [{ 'cache-control': 'public, max-age=600' }, 600],
    [{ 'cache-control': 'max-age=600', age: '400' }, 200],
    [{ 'cache-control': 'max-age=5' }, 60],
    [{ 'cache-control': 'Max-Age=86400' }, 3600],
    [{ 'cache-control': 's-maxage=600' }, 300],
    [{ 'cache-control': 'no-store, max-age=600' }, 60],
    [{ expires: 'Fri, 27 Nov 2026 00:20:00 GMT', date }, 1200],
    [{ expires: '0', date }, 60],
  ])('with %j counts for %i seconds', (headers: Readonly<Record<string, string>>, seconds) => {
    expect(cardMs((name) => headers[name])).toBe(seconds * 1000);
  });

  it.each([
    [{ supportedInterfaces: [{ url: 'https://a.example/', protocolBinding: 'HTTP+JSON' }] }, ['HTTP+JSON', '1.0']],
    [{ url: 'https://a.example/' }, ['JSONRPC', '0.3']],
    [
      {
        ...{ url: 'https://a.example/', preferredTransport: 'GRPC' },
        additionalInterfaces: [{ url: 'https://a.example/', transport: 'JSONRPC' }],
      },
      ['JSONRPC', '0.3'],
    ],
  ])('that names no version means the one that has such cards: %j', (card, expected) => {
    const { binding, version } = interfaceOf(card, configOf('https://a.example'));
    expect([binding, version]).toEqual(expected);
  });

  it('is read again when its time is over', async () => {
    const protocol = new A2aProtocol(configOf('https://a.example'));
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    let reads = 0;
    const readAt = async (ms: number): Promise<number> => {
      clock.mockReturnValue(ms);
      await protocol.prepare((_, onAnswer) => {
        reads += 1;
        onAnswer?.((name) => (name === 'cache-control' ? 'max-age=600' : undefined));
        const supportedInterfaces = [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
        return Promise.resolve({ supportedInterfaces });
      });
      return reads;
    };
    try {
      expect([await readAt(0), await readAt(599_000), await readAt(601_000)]).toEqual([1, 1, 2]);
    } finally {
      clock.mockRestore();
    }
  });
});
