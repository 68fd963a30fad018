import type { OpenAPIObject } from '@nestjs/swagger';
import { startServer, type TestServer } from '../support/server.js';

interface Body {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Body>> };
}

describe('the examples of the API document', () => {
  let server: TestServer;
  let document: OpenAPIObject;

  beforeAll(async () => {
    server = await startServer();
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenAPIObject;
  });
  afterAll(() => server.close());

  /** Every example that can be sent as it stands: those of routes without ids in their path. */
  function runnable(): { path: string; name: string; value: unknown }[] {
    return Object.entries(document.paths).flatMap(([path, item]) => {
      const operation = (item as { post?: Operation }).post;
      const body = operation?.requestBody?.content['application/json'];
      if (!body || path.includes('{')) return [];
      const examples = Object.entries(body.examples ?? {}).map(([name, { value }]) => ({ path, name, value }));
      return body.example === undefined ? examples : [...examples, { path, name: 'example', value: body.example }];
    });
  }

  it('every example is accepted', async () => {
    const examples = runnable();
    expect(examples.length).toBeGreaterThan(0);
    const refused: string[] = [];
    for (const { path, name, value } of examples) {
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
      const text = await answer.text();
      if (!answer.ok || text.includes('"status":"failed"')) {
        refused.push(`${path} (${name}): ${answer.status} ${text.slice(0, 200)}`);
      }
    }
    expect(refused).toEqual([]);
  });
});
