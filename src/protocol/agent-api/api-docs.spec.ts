import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CALLER } from '../../../test/support/caller.js';
import { startServer, type TestServer } from '../../../test/support/server.js';
import { SequentialIds } from '../../common/index.js';
import { CONTENT_TYPES } from '../../events/index.js';
import { AgentApiModule } from './agent-api.module.js';
import { decodeAgentRequest } from './agent-api-request.decoder.js';
import { PROCESS_EXAMPLES } from './dto/examples.js';

describe('the documentation of the Agent API', () => {
  let server: TestServer;
  let document: OpenAPIObject;

  beforeAll(async () => {
    server = await startServer();
    document = SwaggerModule.createDocument(server.app, new DocumentBuilder().build(), { include: [AgentApiModule] });
  });

  afterAll(() => server.close());

  it('every route is described, and every schema that it refers to', () => {
    expect(
      Object.entries(document.paths)
        .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
        .sort(),
    ).toEqual([
      'get /process/task/{taskId}',
      'get /process/{responseId}',
      'post /process',
      'post /process/task',
      'post /stop',
    ]);
    const text = JSON.stringify(document);
    const missing = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)]
      .map(([, name]) => name ?? '')
      .filter((name) => !document.components?.schemas?.[name]);
    expect(missing).toEqual([]);
  });

  it('the schema of every event is described', () => {
    const answer = document.paths['/process']?.post?.responses['200'] as {
      content: Record<string, { schema: { oneOf: object[] } }>;
    };
    expect(Object.keys(answer.content)).toEqual(['text/event-stream', 'application/json']);
    const events = JSON.stringify(answer.content['text/event-stream']?.schema.oneOf);
    for (const name of ['AgentResponseDto', 'MessageEventDto']) expect(events).toContain(name);
    for (const type of CONTENT_TYPES) expect(events.toLowerCase()).toContain(`/${type}contentdto`);
    const message = document.components?.schemas?.MessageDto as {
      properties: { content: { items: { discriminator: object } } };
    };
    expect(message.properties.content.items.discriminator).toMatchObject({ propertyName: 'type' });
  });

  it.each(Object.entries(PROCESS_EXAMPLES))('the example can be decoded: %s', (_, { value }) => {
    const decode = () =>
      decodeAgentRequest(value, { ids: new SequentialIds(), agentType: 'worker', onBusy: 'reject', caller: CALLER });
    expect(decode).not.toThrow();
  });
});
