import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createOpenApiDocument } from '../../src/app.setup.js';
import { startServer, type TestServer } from '../support/server.js';

const SOURCES = join(__dirname, '../../src');

type Class = new () => object;

/** The files that declare DTO classes: everything in a `dto` folder, and `*.dto.ts` elsewhere. */
function dtoFiles(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /(\/dto\/.*|\.dto)\.ts$/.test(file) && !file.endsWith('.spec.ts'));
}

/** The classes a file exports, also those in lists. */
async function classesOf(file: string): Promise<Class[]> {
  const exported = Object.values((await import(join(SOURCES, file))) as Record<string, unknown>);
  return exported.flat().filter((value): value is Class => isClass(value));
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && Function.prototype.toString.call(value).startsWith('class');
}

describe('DTO classes', () => {
  it('every DTO class has its own name, because Swagger merges classes of one name into one schema', async () => {
    const owners = new Map<string, Map<Class, string>>();
    for (const file of dtoFiles()) {
      for (const dto of await classesOf(file)) {
        owners.set(dto.name, (owners.get(dto.name) ?? new Map<Class, string>()).set(dto, file));
      }
    }
    expect(owners.size).toBeGreaterThan(50);
    const shared = [...owners].filter(([, classes]) => classes.size > 1);
    expect(shared.map(([name, classes]) => `${name}: ${[...classes.values()].join(', ')}`)).toEqual([]);
  });
});

describe('the API document', () => {
  let server: TestServer;
  let document: OpenAPIObject;

  beforeAll(async () => {
    server = await startServer();
    document = createOpenApiDocument(server.app);
  });
  afterAll(() => server.close());

  /** The properties of the JSON body of a POST route. */
  function bodyOf(path: string): Record<string, { description?: string }> {
    const body = document.paths[path]?.post?.requestBody as { content: Record<string, { schema: { $ref: string } }> };
    const name = body.content['application/json']?.schema.$ref.split('/').at(-1) ?? '';
    return (document.components?.schemas?.[name] as { properties: Record<string, object> }).properties;
  }

  it('POST /ag-ui is described with the RunAgentInput of AG-UI', () => {
    const properties = bodyOf('/ag-ui');
    expect(Object.keys(properties).sort()).toEqual(
      [
        ...['threadId', 'runId', 'messages', 'protocolVersion', 'parentRunId', 'state', 'tools', 'context'],
        ...['forwardedProps', 'resume'],
      ].sort(),
    );
    expect(properties['messages']?.description).toContain('The whole conversation');
  });

  it('POST /api/v1/agent/runs is described with the RunAgentInput of the Runs API', () => {
    const properties = bodyOf('/api/v1/agent/runs');
    expect(Object.keys(properties)).not.toContain('resume');
    expect(properties['forwardedProps']).toMatchObject({ $ref: '#/components/schemas/RunsForwardedPropsDto' });
  });

  it('every group of operations has its place and a description', () => {
    expect(document.tags?.filter(({ description }) => !description)).toEqual([]);
    expect(document.tags?.at(-1)?.name).toBe('Service');
  });

  it('every operation says which credential and which scope it needs', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      (['get', 'post', 'put', 'patch', 'delete'] as const).flatMap((method) => {
        const operation = item[method] as { security?: object[]; responses?: object; 'x-required-scope'?: string[] };
        return operation ? [{ name: `${method} ${path}`, ...operation }] : [];
      }),
    );
    expect(operations.filter(({ security }) => !security).map(({ name }) => name)).toEqual([]);
    for (const { name, security = [], responses = {}, ...operation } of operations) {
      if (security.length !== 2) continue;
      expect({ name, statuses: Object.keys(responses) }).toEqual({
        name,
        statuses: expect.arrayContaining(['401', '403', '429']),
      });
      if (!/whoami|users\/me|access\//.test(name)) expect(operation['x-required-scope']?.length).toBeGreaterThan(0);
    }
    expect(document.paths['/process']?.post).toMatchObject({ 'x-required-scope': ['runs:write'] });
    expect(document.components?.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
  });
});
