import { Global, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock, Metrics, SystemClock } from '../common/index.js';
import { ConfigModule, Configuration } from '../config/index.js';
import { Prices } from '../usage/index.js';
import { McpSettings, ToolSettings } from './tools/index.js';
import { AgentModule } from './agent.module.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentSettings } from './agent.settings.js';
import { ModelSettings } from './model.settings.js';
import { AgentType } from './agent-type.decorator.js';
import type { Agent, AgentOutcome } from './agent.js';
import { ModelLoop } from './model-loop.js';
import { ConfiguredModels } from './adapters/configured-models.js';
import { Models } from './ports/models.js';
import { ScriptedModelClient } from './testing/scripted-model-client.js';

Logger.overrideLogger(false);

@AgentType({ name: 'echo', description: 'Says nothing', exposure: 'public' })
class EchoAgent implements Agent {
  constructor(readonly loop: ModelLoop) {}

  async *run(): AsyncGenerator<undefined, AgentOutcome, void> {
    yield;
    return { kind: 'completed' };
  }
}

@AgentType({ name: 'worker', description: 'An impostor', exposure: 'public' })
class ImpostorAgent extends EchoAgent {}

@Module({ providers: [EchoAgent] })
class EchoModule {}

@Module({ providers: [ImpostorAgent] })
class ImpostorModule {}

@Global()
@Module({
  providers: [
    { provide: Clock, useClass: SystemClock },
    Metrics,
    { provide: Prices, useValue: { areMissing: () => Promise.resolve(false) } },
  ],
  exports: [Clock, Metrics, Prices],
})
class CommonModule {}

const models = {
  provide: Models,
  useValue: new ConfiguredModels({
    main: new ScriptedModelClient([]),
    named: [],
    create: () => new ScriptedModelClient([]),
  }),
};
const configuration = Configuration.read({}, [AgentSettings, ModelSettings, ToolSettings, McpSettings]);
const base = [ConfigModule.forRoot(configuration), CommonModule, AgentModule.forRoot({ models })];

describe('AgentRegistry', () => {
  it('agents of any module are found with the data of their decorators', async () => {
    const module = await Test.createTestingModule({ imports: [...base, EchoModule] }).compile();
    await module.init();
    const registry = module.get(AgentRegistry);
    expect(
      registry
        .list()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['echo', 'mcp_tool', 'memory', 'worker']);
    expect(registry.get('worker')).toMatchObject({ exposure: 'public', recovery: 'journal' });
    expect(registry.get('echo')).toMatchObject({ recovery: 'fail' });
    expect((registry.get('echo').agent as EchoAgent).loop).toBeInstanceOf(ModelLoop);
    expect(registry.listFor(null).map(({ name }) => name)).toEqual(['worker', 'echo']);
    expect(['worker', 'memory', 'nobody'].map((name) => registry.isKnownTo(null, name))).toEqual([true, false, false]);
    expect(() => registry.get('nobody')).toThrow(expect.objectContaining({ code: 'AGENT_NOT_FOUND' }) as Error);
    await module.close();
  });

  it('two agents of the same name stop the start', async () => {
    const module = await Test.createTestingModule({ imports: [...base, ImpostorModule] }).compile();
    await expect(module.init()).rejects.toThrow('Two agents are named "worker"');
  });
});
