import { Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Observable, of } from 'rxjs';
import { Needs } from '../../access/index.js';
import {
  type AgUiRequest,
  AgUiRuns,
  AgUiSettings,
  generationOf,
  keyCaseOf,
  withKeyCase,
} from '../ag-ui-events/index.js';
import { dataFrame, DtoPipe, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, RunStreams, WireController } from '../wire/index.js';
import { AG_UI_PROTO_TYPE, protoFrame, wantsProto } from './ag-ui-proto.js';
import { AgUiWire } from './ag-ui.wire.js';
import { ApiAgentPath, ApiAgUiRun } from './api-docs.js';
import { AgUiQueryDto } from './dto/ag-ui-query.dto.js';

type Answer = Observable<readonly string[] | StreamableFile>;

/** `POST /ag-ui` and `POST /ag-ui/{agentId}` (contract ag-ui, sections 1 and 2). */
@ApiTags('AG-UI')
@Needs('runs:write')
@WireController(AgUiWire, 'ag-ui')
export class AgUiController {
  constructor(
    private readonly runs: AgUiRuns,
    private readonly streams: RunStreams,
    private readonly wire: AgUiWire,
    private readonly settings: AgUiSettings,
  ) {}

  @SsePost('')
  @Decode(AgUiWire, (wire, request) => wire.decode(request))
  @ApiAgUiRun('Run the default agent, or the one that forwardedProps.agent_type names')
  run(
    @Decoded() request: AgUiRequest,
    @Query(DtoPipe) query: AgUiQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    return this.start(request, query, client);
  }

  @SsePost(':agentId')
  @Decode(AgUiWire, (wire, request) => wire.decode(request))
  @ApiAgentPath()
  @ApiAgUiRun('Run an agent')
  runAgent(
    @Decoded() request: AgUiRequest,
    @Query(DtoPipe) query: AgUiQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    return this.start(request, query, client);
  }

  private async start(request: AgUiRequest, query: AgUiQueryDto, client: StreamClient): Promise<Answer> {
    const started = await this.runs.start(request);
    const { protocolVersion, runId } = started.input;
    const keyCase = keyCaseOf(query.key_case ?? this.settings.keyCase, protocolVersion);
    const isBinary = wantsProto(client.request.headers.accept);
    if (started.kind === 'refused') {
      const { event } = started;
      if (isBinary) return of(new StreamableFile(Buffer.from(protoFrame(event), 'latin1'), { type: AG_UI_PROTO_TYPE }));
      return of([dataFrame(JSON.stringify(withKeyCase(event, keyCase, runId)))]);
    }
    const { run } = started;
    client.reply.headers({
      'x-run-id': run.runId,
      'content-location': `/runs/${encodeURIComponent(run.runId)}/events?protocol=${this.wire.name}`,
    });
    const form = isBinary ? { frameOf: protoFrame } : { keyCase };
    const encoder = this.runs.encoder(run, { generation: generationOf(protocolVersion), ...form });
    const options = { wire: this.wire, onDisconnect: query.on_disconnect, encoder };
    const stream = this.streams.follow(run, client, options);
    return isBinary ? of(stream.binary(AG_UI_PROTO_TYPE)) : stream.events();
  }
}
