import { Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Needs } from '../../access/index.js';
import { DtoPipe, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { openAiPaths } from '../openai/index.js';
import { Decode, Decoded, RunStreams, WireController } from '../wire/index.js';
import { ApiCompletion, ApiCompletionRoute, TAG } from './api-docs.js';
import { ChatCompletionsWire } from './chat-completions.wire.js';
import { type CompletionAsked, CompletionSubmission } from './completion-submission.js';
import { CompletionsService } from './completions.service.js';
import { CompletionQueryDto } from './dto/queries.dto.js';

/** A stream of chunks, or one completion. */
type Answer = Observable<readonly string[]> | object;

/** `POST /chat/completions` (contract chat-completions, section A1): the same under both prefixes. */
@ApiTags(TAG)
@WireController(ChatCompletionsWire, openAiPaths('chat/completions'))
export class ChatCompletionsController {
  constructor(
    private readonly submission: CompletionSubmission,
    private readonly completions: CompletionsService,
    private readonly streams: RunStreams,
    private readonly wire: ChatCompletionsWire,
  ) {}

  @SsePost('')
  @Decode(CompletionSubmission, (submission, request) => submission.decode(request))
  @Needs('runs:write')
  @ApiCompletion()
  @ApiCompletionRoute(
    'Create a completion',
    'Runs an agent, which `model` names. The messages are the whole conversation unless the header `X-Session-Id` names a session.',
    [400, 413, 415, 429, 503],
  )
  async create(
    @Decoded() asked: CompletionAsked,
    @Query(DtoPipe) query: CompletionQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    const { run, stream, isRepeatable } = await this.submission.submit(asked);
    client.reply.headers({ 'x-run-id': run.runId, 'x-session-id': run.sessionId });
    const onDisconnect = query.on_disconnect ?? (isRepeatable ? 'continue' : this.wire.onDisconnect);
    if (stream) return this.streams.follow(run, client, { wire: this.wire, onDisconnect }).events();
    return this.completions.result(run, client, onDisconnect);
  }
}
