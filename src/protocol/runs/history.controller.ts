import { Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { DtoPipe } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { ApiRunsRoute } from './api-docs.js';
import { HistoryQueryDto, HistorySnapshotDto } from './dto/history.dto.js';
import { type HistoryPage, ThreadHistory } from './history/thread-history.js';
import { RunLookup } from './run-lookup.js';
import { RunsWire } from './runs.wire.js';

/** `GET /history` (contract runs-api, section 6). */
@ApiTags('Runs')
@Needs('runs:read')
@WireController(RunsWire, 'api/v1/agent')
export class HistoryController {
  constructor(
    private readonly history: ThreadHistory,
    private readonly lookup: RunLookup,
  ) {}

  @Get('history')
  @ApiOkResponse({ type: HistorySnapshotDto })
  @ApiRunsRoute('Read the history', 'One calendar day of a thread in the time zone of the user.', [400, 404, 422])
  async read(@Query(DtoPipe) query: HistoryQueryDto, @Caller() caller: Caller): Promise<HistoryPage> {
    const { threadId, before, beforeSeq } = query;
    const principal = threadId === undefined ? caller.principal : await this.lookup.ownerOf(caller, threadId);
    return this.history.page(principal, {
      threadId,
      before,
      beforeSeq: beforeSeq === undefined ? undefined : Number(beforeSeq),
    });
  }
}
