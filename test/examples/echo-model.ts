import { ModelClient, type ModelEvent, type ModelRequest } from '../../src/index.js';

export class EchoModel extends ModelClient {
  readonly provider = 'echo';

  async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent[]> {
    const last = messages.at(-1);
    const text = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '';
    yield [
      { type: 'text-delta', text },
      { type: 'finish', reason: 'stop', usage: null },
    ];
  }
}
