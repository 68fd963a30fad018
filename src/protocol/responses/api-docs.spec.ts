import type { OpenAPIObject } from '@nestjs/swagger';
import { startServer, type TestServer } from '../../../test/support/server.js';
import { EVENT_TYPES } from './dto/event.dto.js';

describe('the API document of the Responses API', () => {
  let server: TestServer;
  let document: OpenAPIObject;

  beforeAll(async () => {
    server = await startServer();
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenAPIObject;
  });
  afterAll(() => server.close());

  it('the routes are listed under both prefixes', () => {
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

  it('events are discriminated by type', () => {
    const answer = JSON.stringify(document.paths['/v1/responses']?.post?.responses['200']);
    for (const type of EVENT_TYPES) expect(answer).toContain(`"${type}":"#/components/schemas/`);
    expect(document.components?.schemas).toHaveProperty('ResponseOutputTextDeltaEvent');
    expect(document.components?.schemas).toHaveProperty('McpCallItem');
  });
});
