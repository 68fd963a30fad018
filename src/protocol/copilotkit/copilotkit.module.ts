import { Module, type OnModuleInit } from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { AgentRegistry } from '../../agent/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Runs } from '../../run/index.js';
import { SessionModule, Sessions } from '../../session/index.js';
import { AgUiRuns } from '../ag-ui-events/index.js';
import { ErrorMappers, HttpModule } from '../http/index.js';
import { CopilotAgentController } from './agent.controller.js';
import { CopilotRuntime } from './copilot-runtime.js';
import { copilotKitErrorBody } from './copilotkit-errors.js';
import { CopilotRuntimeController } from './runtime.controller.js';
import { ThreadReplay } from './thread-replay.js';
import { CopilotThreadsController } from './threads.controller.js';
import { CopilotThreads } from './threads.service.js';

/** CopilotKit's own routes. Needs `Runs`, `Interrupts`, `AgentRegistry` and `AppConfig` from global modules. */
@Module({
  imports: [HttpModule, SessionModule],
  controllers: [CopilotRuntimeController, CopilotAgentController, CopilotThreadsController],
  providers: [
    CopilotRuntime,
    CopilotThreads,
    ThreadReplay,
    {
      provide: AgUiRuns,
      inject: [Runs, Sessions, Interrupts, AgentRegistry],
      useFactory: (runs: Runs, sessions: Sessions, interrupts: Interrupts, agents: AgentRegistry) =>
        new AgUiRuns({ runs, sessions, interrupts, agents }),
    },
  ],
})
export class CopilotKitModule implements OnModuleInit {
  constructor(
    mappers: ErrorMappers,
    private readonly host: HttpAdapterHost,
  ) {
    mappers.register('/copilotkit', copilotKitErrorBody);
  }

  onModuleInit(): void {
    // Without a server there is nothing to adapt.
    const fastify = (this.host.httpAdapter as AbstractHttpAdapter | undefined)?.getInstance<
      FastifyInstance | undefined
    >();
    if (typeof fastify?.addHook === 'function') allowEmptyBodies(fastify);
  }
}

/** CopilotKit's client names a JSON body also when it sends none, as with a stop. */
function allowEmptyBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request.raw;
    if (headers['content-length'] === '0' && request.url.startsWith('/copilotkit/')) delete headers['content-type'];
    done();
  });
}
