import { Body, Controller, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Observable, of } from 'rxjs';
import { AgentRegistry } from '../../agent/index.js';
import {
  AgUiRuns,
  AgUiSettings,
  CLOSING_EVENT,
  keyCaseOf,
  type StartedRun,
  wantsProto,
  withKeyCase,
} from '../ag-ui-events/index.js';
import {
  dataFrame,
  userIdHeader,
  ShapePipe,
  SsePost,
  type StreamClient,
  StreamFor,
  useControlFrames,
} from '../http/index.js';
import { AgUiReader, binaryFrame } from './ag-ui.reader.js';
import { ApiAgentPath, ApiAgUiRun } from './api-docs.js';
import { AgUiQueryDto } from './dto/ag-ui-query.dto.js';

type Answer = Observable<readonly string[] | StreamableFile>;

/** `POST /ag-ui` and `POST /ag-ui/{agentId}` (contract ag-ui, sections 1 and 2). */
@ApiTags('AG-UI')
@Controller('ag-ui')
export class AgUiController {
  constructor(
    private readonly runs: AgUiRuns,
    private readonly reader: AgUiReader,
    private readonly agents: AgentRegistry,
    private readonly settings: AgUiSettings,
  ) {}

  @SsePost('')
  @ApiAgUiRun('Run the default agent, or the one that forwardedProps.agent_type names')
  run(
    @Body() body: unknown,
    @Query(new ShapePipe(AgUiQueryDto)) query: AgUiQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    return this.answer(body, undefined, query, client);
  }

  @SsePost(':agentId')
  @ApiAgentPath()
  @ApiAgUiRun('Run an agent')
  runAgent(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @Query(new ShapePipe(AgUiQueryDto)) query: AgUiQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    return this.answer(body, agentId, query, client);
  }

  private async answer(
    body: unknown,
    agentId: string | undefined,
    query: AgUiQueryDto,
    { request, reply, gate, gone }: StreamClient,
  ): Promise<Answer> {
    const started = await this.runs.start(body, {
      wire: 'ag-ui',
      agentId,
      defaultAgent: this.agents.defaultName,
      userId: userIdHeader(request),
      onBusy: query.multitask ?? this.settings.busyPolicy,
    });
    const isBinary = wantsProto(request.headers.accept);
    const keyCase = keyCaseOf(query.key_case ?? this.settings.keyCase, started.input.protocolVersion);
    if (started.kind === 'refused') return this.refusal(started, keyCase, isBinary);
    const { runId } = started.run;
    reply.headers({
      'x-run-id': runId,
      'content-location': `/runs/${encodeURIComponent(runId)}/events?protocol=ag-ui`,
    });
    const cancelWhenLeft = (query.on_disconnect ?? this.settings.onDisconnect) === 'cancel';
    const encoder = this.runs.encoder(started, isBinary ? { frameOf: binaryFrame } : { keyCase });
    if (isBinary) return this.reader.binary(started, encoder, { gate, gone, cancelWhenLeft });
    useControlFrames(request, { shutdownFrame: dataFrame(JSON.stringify(CLOSING_EVENT)) });
    return this.reader.live(started, encoder, { gate, gone, cancelWhenLeft });
  }

  /** A stream of the one event that says why nothing was run. */
  private refusal(
    { event, input }: Extract<StartedRun, { kind: 'refused' }>,
    keyCase: ReturnType<typeof keyCaseOf>,
    isBinary: boolean,
  ): Answer {
    if (isBinary) return this.reader.binaryEvent(event);
    return of([dataFrame(JSON.stringify(withKeyCase(event, keyCase, input.runId)))]);
  }
}
