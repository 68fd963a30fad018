import { Module } from '@nestjs/common';
import { AttachmentModule } from '../../agent/attachment/index.js';
import { SessionModule } from '../../agent/session/index.js';
import { ToolsModule } from '../../agent/tools/index.js';
import { OutgoingModule } from '../../outgoing/index.js';
import { WireModule } from '../wire/index.js';
import { A2aRestController, A2aRpcController } from './a2a.controllers.js';
import { A2aService } from './a2a.service.js';
import { A2a03Wire, A2aWire } from './a2a.wire.js';
import { Binding } from './binding.js';
import { AgentCardController, A2aAgentsController } from './card/card.controllers.js';
import { CardCallers } from './card/card-callers.js';
import { CardService } from './card/card.service.js';
import { MessageInputs } from './message-inputs.js';
import { NextRuns } from './next-runs.js';
import { Placement } from './placement.js';
import { PushAddresses } from './push/push-addresses.js';
import { PushChannel } from './push/push.channel.js';
import { PushService } from './push/push.service.js';
import { RpcMethods } from './rpc.methods.js';
import { StreamOpener } from './stream-opener.js';
import { Submission } from './submission.js';
import { TaskAnswers } from './task-answers.js';
import { TaskEnds } from './task-ends.js';
import { TaskStreams } from './task-streams.js';
import { Tasks } from './tasks.js';

/** A2A 1.0 and 0.3. Needs `Runs`, `RunChains`, `Interrupts` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule, ToolsModule, AttachmentModule, OutgoingModule],
  controllers: [A2aRpcController, A2aRestController, AgentCardController, A2aAgentsController],
  providers: [
    A2aWire,
    A2a03Wire,
    A2aService,
    Binding,
    CardService,
    PushAddresses,
    PushChannel,
    PushService,
    RpcMethods,
    CardCallers,
    MessageInputs,
    NextRuns,
    Placement,
    StreamOpener,
    Submission,
    TaskEnds,
    TaskAnswers,
    TaskStreams,
    Tasks,
  ],
})
export class A2aModule {}
