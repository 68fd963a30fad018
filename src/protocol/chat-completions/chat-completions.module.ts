import { Module } from '@nestjs/common';
import { SessionModule } from '../../agent/session/index.js';
import { ToolsModule } from '../../agent/tools/index.js';
import { WireModule } from '../wire/index.js';
import { ChatCompletionsController } from './chat-completions.controller.js';
import { ChatCompletionsWire } from './chat-completions.wire.js';
import { CompletionFiles } from './completion-files.js';
import { CompletionPlaces } from './completion-place.js';
import { CompletionSubmission } from './completion-submission.js';
import { CompletionsService } from './completions.service.js';
import { Continuations } from './continuation.js';
import { ServerFacts } from './server-facts.js';
import { StoredCompletionsController } from './stored-completions.controller.js';

/** OpenAI Chat Completions. Needs `Runs`, `AgentRegistry`, `IdFactory` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule, ToolsModule],
  controllers: [ChatCompletionsController, StoredCompletionsController],
  providers: [
    ChatCompletionsWire,
    CompletionSubmission,
    CompletionPlaces,
    CompletionFiles,
    CompletionsService,
    Continuations,
    ServerFacts,
  ],
})
export class ChatCompletionsModule {}
