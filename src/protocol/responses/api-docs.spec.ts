import type { OpenAPIObject } from '@nestjs/swagger';
import { startServer, type TestServer } from '../../../test/support/server.js';
import { EVENT_TYPES } from './dto/event.dto.js';

describe('the description of the Responses wire', () => {
  let server: TestServer;
  let document: OpenAPIObject;

  beforeAll(async () => {
    server = await startServer();
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenAPIObject;
  });
  afterAll(() => server.close());

  it('lists its routes under both prefixes', () => {
    for (const prefix of ['/v1', '/compatible-mode/v1']) {
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining([
          `${prefix}/responses`,
          `${prefix}/responses/{responseId}`,
          `${prefix}/conversations/{conversationId}/items`,
          `${prefix}/models`,
        ]),
      );
    }
  });

  it('tells every event apart by its type', () => {
    const answer = JSON.stringify(document.paths['/v1/responses']?.post?.responses['200']);
    for (const type of EVENT_TYPES) expect(answer).toContain(`"${type}":"#/components/schemas/`);
    expect(document.components?.schemas).toHaveProperty('ResponseOutputTextDeltaEvent');
    expect(document.components?.schemas).toHaveProperty('McpCallItem');
  });
});
