import { Module } from '@nestjs/common';
import { SessionModule } from '../../agent/session/index.js';
import { ToolsModule } from '../../agent/tools/index.js';
import { WireModule } from '../wire/index.js';
import { ActiveTurns } from './active-turns.js';
import { AiSdkAgentsController, AiSdkController } from './ai-sdk.controller.js';
import { AiSdkService } from './ai-sdk.service.js';
import { AiSdkWire } from './ai-sdk.wire.js';
import { QuestionsAgain } from './asked-again.js';
import { ChatMessagesService } from './chat-messages.service.js';
import { ChatReplacements } from './chat-replacements.js';
import { ChatRequests } from './chat-requests.js';
import { ChatRunData } from './chat-run-data.js';
import { ChatSubmission } from './chat-submission.js';
import { TurnAnswers } from './turn-answers.js';
import { TurnMessages } from './turn-messages.js';
import { Turns } from './turns.js';

/** The UI message stream of the AI SDK. Needs `Runs`, `Interrupts` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule, ToolsModule],
  controllers: [AiSdkController, AiSdkAgentsController],
  providers: [
    AiSdkWire,
    AiSdkService,
    ActiveTurns,
    ChatMessagesService,
    ChatReplacements,
    ChatRequests,
    ChatRunData,
    ChatSubmission,
    QuestionsAgain,
    TurnAnswers,
    TurnMessages,
    Turns,
  ],
})
export class AiSdkModule {}
