import { Global, Injectable, Logger, Module, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { IsInt } from 'class-validator';
import { Clock, Metrics } from '../../common/index.js';
import { ConfigModule, Configuration } from '../../config/index.js';
import { AgentTool } from './agent-tool.decorator.js';
import { McpSettings } from './mcp/mcp.settings.js';
import { ToolRegistry } from './tool-registry.js';
import type { ToolContext } from './tool.js';
import { ToolsModule } from './tools.module.js';
import { ToolSettings } from './tools.settings.js';

Logger.overrideLogger(false);

const configuration = Configuration.read({ TOOL_TIMEOUT_MS: '1234' }, [ToolSettings, McpSettings]);

class AddArgs {
  @IsInt()
  a!: number;

  @IsInt()
  b!: number;
}

@Injectable()
class Calculator {
  private readonly offset = 0;

  @AgentTool({ description: 'Adds', effects: 'none', parameters: AddArgs })
  async add({ a, b }: AddArgs): Promise<number> {
    return a + b + this.offset;
  }
}

@Injectable()
class Doubled {
  @AgentTool({ name: 'get_current_time', description: 'Again', effects: 'none', parameters: { type: 'object' } })
  async time(): Promise<string> {
    return '';
  }
}

@Injectable()
class Misnamed {
  @AgentTool({ name: 'get weather', description: 'Bad name', effects: 'none', parameters: { type: 'object' } })
  async weather(): Promise<string> {
    return '';
  }
}

@Injectable()
class Misdescribed {
  @AgentTool({ description: 'Bad schema', effects: 'none', parameters: { type: 'banana' } })
  async banana(): Promise<string> {
    return '';
  }
}

@Global()
@Module({
  providers: [Metrics, { provide: Clock, useValue: { now: () => Date.UTC(2026, 2, 16, 16, 9, 13) } }],
  exports: [Clock, Metrics],
})
class CommonModule {}

async function boot(provider: Type): Promise<TestingModule> {
  @Module({ providers: [provider] })
  class FeatureModule {}
  const imports = [ConfigModule.forRoot(configuration), CommonModule, ToolsModule, FeatureModule];
  const module = await Test.createTestingModule({ imports }).compile();
  return module.init();
}

function context(timeZone = 'UTC'): ToolContext {
  return { timeZone, locale: null, forwardedProps: {} } as unknown as ToolContext;
}

describe('ToolsModule', () => {
  let module: TestingModule;
  const invoke = async (name: string, args: Record<string, string>, zone?: string): Promise<unknown> =>
    (await module.get(ToolRegistry).find(name))?.invoke(args, context(zone));

  beforeAll(async () => {
    module = await boot(Calculator);
  });
  afterAll(() => module.close());

  it('decorated methods of any module are found', async () => {
    const tools = await module.get(ToolRegistry).list();
    expect(tools.map(({ name }) => name).sort()).toEqual(['add', 'get_current_time']);
    const add = tools.find(({ name }) => name === 'add');
    expect(add).toMatchObject({ timeoutMs: 1234, effects: 'none', parameters: { required: ['a', 'b'] } });
    expect(await add?.invoke({ a: 1, b: 2 }, context())).toBe(3);
  });

  it.each([
    [Doubled, 'Two tools are named "get_current_time"'],
    [Misnamed, '"get weather" cannot be the name of a tool'],
    [Misdescribed, 'The parameters of tool "banana" cannot be used'],
  ])('%p stops the start', async (provider, sentence) => {
    await expect(boot(provider)).rejects.toThrow(sentence);
  });

  it('get_current_time uses its argument, then the zone of the user', async () => {
    const utc = '2026-03-16T16:09:13.000Z';
    expect(await invoke('get_current_time', { timezone: 'Asia/Shanghai' }, 'Europe/Berlin')).toMatchObject({
      timezone: 'Asia/Shanghai',
      iso: '2026-03-17T00:09:13+08:00',
      utc,
    });
    expect(await invoke('get_current_time', {}, 'Europe/Berlin')).toMatchObject({
      timezone: 'Europe/Berlin',
      time: '17:09:13',
    });
    expect(await invoke('get_current_time', {})).toMatchObject({ timezone: 'UTC', iso: '2026-03-16T16:09:13+00:00' });
    expect(await invoke('get_current_time', { timezone: 'Asia/Beijing' })).toMatchObject({
      timezone: 'UTC',
      note: expect.stringContaining('not a known time zone') as string,
    });
  });
});

describe('ToolRegistry', () => {
  const tool = (description: string) => ({
    name: 'look',
    description,
    parameters: { type: 'object' },
    effects: 'none' as const,
    timeoutMs: 1,
    origin: { kind: 'local' as const },
    invoke: () => Promise.resolve(description),
  });

  it('the first source has precedence, and server tools over client tools', async () => {
    const sources = ['first', 'second'].map((name) => ({ name, list: () => Promise.resolve([tool(name)]) }));
    const registry = new ToolRegistry(sources);
    expect((await registry.list()).map(({ description }) => description)).toEqual(['first']);
    const mine = { name: 'mine', description: 'of the client', parameters: {} };
    const toolSet = await registry.toolSet([{ ...mine, name: 'look' }, mine], { authority: null });
    expect(toolSet.declarations.map(({ description }) => description)).toEqual(['first', 'of the client']);
    expect(toolSet.resolve('look').kind).toBe('server');
    expect(toolSet.resolve('mine').kind).toBe('client');
    expect(toolSet.resolve('other').kind).toBe('unknown');
  });
});
