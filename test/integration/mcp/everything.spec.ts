import { Logger } from '@nestjs/common';
import { ToolSet } from '../../../src/agent/tools/index.js';
import { McpSource } from '../../support/mcp-source.js';
import { freePort } from '../../support/free-port.js';
import { EverythingHttp, everythingStdio } from '../../support/mcp-servers.js';

Logger.overrideLogger(false);

describe.each(['stdio', 'http'] as const)('the reference server over %s', (kind) => {
  let http: EverythingHttp | undefined;
  let source: McpSource;

  beforeAll(async () => {
    if (kind === 'http') http = await new EverythingHttp(await freePort()).start();
    source = new McpSource({ all: http ? { url: http.url } : everythingStdio });
  });

  afterAll(async () => {
    await source.close();
    await http?.kill();
  });

  it('the tools are listed with their schemas, hints and effects', async () => {
    const names = await source.names();
    expect(names).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'trigger-long-running-operation']),
    );
    // It can only be called as a task.
    expect(names).not.toContain('simulate-research-query');
    expect(await source.tool('echo')).toMatchObject({
      description: 'Echoes back the input string',
      parameters: { type: 'object', required: ['message'] },
      effects: 'none',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      origin: { kind: 'mcp', serverLabel: 'all' },
    });
    expect(await source.tool('toggle-simulated-logging')).toMatchObject({ effects: 'unsafe' });
  });

  it('tools can be called', async () => {
    expect(await source.call('echo', { message: 'Grüße 👋' })).toMatchObject({
      output: 'Echo: Grüße 👋',
      isError: false,
    });
    expect((await source.call('get-sum', { a: 2, b: 3 })).output).toContain('5');
  });

  it('arguments are checked before anything is sent', async () => {
    expect(await source.call('get-sum', { a: 'two' })).toMatchObject({ isError: true, failure: 'invalid_arguments' });
  });

  it('structured results appear once, images are beside the text, and resources are described', async () => {
    const { output } = await source.call('get-structured-content', { location: 'Chicago' });
    expect(JSON.parse(output)).toHaveProperty('temperature');
    const { output: caption, images } = await source.call('get-tiny-image');
    expect(images).toEqual([expect.stringMatching(/^data:image\/png;base64,iVBOR/)]);
    expect(caption).not.toContain('iVBOR');
    const link = (await source.call('get-resource-links', { count: 1 })).output;
    expect(link).toMatch(/\[resource link \S+ ".+"/);
    const resource = await source.call('get-resource-reference', { resourceType: 'Text', resourceId: 1 });
    expect(resource.output).toMatch(/\[resource \S+ text\/plain\]\nResource 1/);
  });

  it('the progress of a long call is reported', async () => {
    source.progress.length = 0;
    const { output } = await source.call('trigger-long-running-operation', { duration: 0.3, steps: 3 });
    expect(output).toContain('Long running operation completed');
    // The report that comes together with the result may be too late.
    expect(source.progress.slice(0, 2)).toEqual([1, 2].map((progress) => ({ progress, total: 3 })));
  });

  it('calls are made in parallel', async () => {
    const toolSet = new ToolSet(await source.source.list(), []);
    const slow = source.callOf(toolSet, 'trigger-long-running-operation', { duration: 0.5, steps: 1 });
    const order: string[] = [];
    const fast = Array.from({ length: 20 }, (_, at) => source.callOf(toolSet, 'echo', { message: String(at) }));
    await Promise.all([
      ...fast.map((call, at) => call.then(({ output }) => order.push(output === `Echo: ${at}` ? 'fast' : output))),
      slow.then(() => order.push('slow')),
    ]);
    expect(order).toEqual([...Array.from({ length: 20 }, () => 'fast'), 'slow']);
  });
});
