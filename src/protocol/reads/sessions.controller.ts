import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, isoTime, type Principal, type Reach } from '../../common/index.js';
import { RunQueries, type StateChange } from '../../run/index.js';
import { Sessions, SessionSearch, type SessionSummary } from '../../agent/session/index.js';
import { DtoPipe } from '../http/index.js';
import { ReadRoute } from './api-docs.js';
import { MessagesPageQueryDto, PagedQueryDto, ReaderQueryDto } from './dto/queries.dto.js';
import {
  SessionDetailDto,
  SessionListDto,
  SessionMessagesDto,
  SessionStateDto,
  type SessionSummaryDto,
  type StateChangeDto,
} from './dto/session.dto.js';
import { listReach, readReach, refusalToSend } from './reading.js';

const DEFAULT_LIMIT = 50;

/** Sessions of any wire, for people who look at them (contract console, section 4). */
@ApiTags('Sessions')
@Needs('runs:read')
@Controller('api/v1/sessions')
export class SessionsController {
  constructor(
    private readonly search: SessionSearch,
    private readonly sessions: Sessions,
    private readonly queries: RunQueries,
    private readonly attachments: MessageAttachments,
  ) {}

  @Get()
  @ApiOkResponse({ type: SessionListDto })
  @ReadRoute('List sessions', 'Those that the caller may read, the last changed first.', [400, 403])
  async list(
    @Query(DtoPipe) { user, limit, cursor }: PagedQueryDto,
    @Caller() caller: Caller,
  ): Promise<SessionListDto> {
    const { items, nextCursor = null } = await this.search.list(listReach(caller, user), pageOf(limit, cursor));
    return { data: items.map(sessionSummary), nextCursor };
  }

  @Get(':id')
  @ApiOkResponse({ type: SessionDetailDto })
  @ReadRoute('Read a session', 'With its metadata; messages and state have routes of their own.', [403, 404, 409])
  async read(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<SessionDetailDto> {
    const session = await this.find(readReach(caller, user), id);
    const view = await this.sessions.view({ tenantId: caller.tenantId, userId: session.userId }, id);
    const refusal = refusalToSend(caller, user, session.userId);
    return Object.assign(sessionSummary(session), { metadata: view?.metadata ?? {}, refusal });
  }

  @Get(':id/messages')
  @ApiOkResponse({ type: SessionMessagesDto })
  @ReadRoute('The messages of a session', 'Newest first, or in their order with `order=asc`.', [400, 403, 404, 409])
  async messages(
    @Param('id') id: string,
    @Query(DtoPipe) query: MessagesPageQueryDto,
    @Caller() caller: Caller,
  ): Promise<SessionMessagesDto> {
    const owner = await this.ownerOf(caller, id, query.user);
    const { order = 'desc', limit, cursor } = query;
    const size = Number(limit ?? DEFAULT_LIMIT);
    const from = cursor === undefined ? undefined : seqOf(cursor);
    const found = await this.sessions.messages(owner, id, {
      order,
      limit: size + 1,
      ...(from !== undefined && (order === 'asc' ? { after: from } : { before: from })),
    });
    const data = found.slice(0, size).map(({ seq, runId, createdAt, message }) => ({
      seq,
      runId,
      createdAt: isoTime(createdAt),
      message: this.attachments.shownMessage(message, owner.tenantId),
    }));
    return { data, nextCursor: found.length > size ? String(data.at(-1)?.seq) : null };
  }

  @Get(':id/state')
  @ApiOkResponse({ type: SessionStateDto })
  @ReadRoute('The state of a session', 'With its changes by the runs whose events exist.', [400, 403, 404, 409])
  async state(
    @Param('id') id: string,
    @Query(DtoPipe) { user, limit, cursor }: PagedQueryDto,
    @Caller() caller: Caller,
  ): Promise<SessionStateDto> {
    const owner = await this.ownerOf(caller, id, user);
    const view = await this.sessions.view(owner, id);
    if (!view) throw new AppError('SESSION_NOT_FOUND');
    const { items, nextCursor = null } = await this.queries.stateChanges(owner, id, pageOf(limit, cursor));
    return { state: view.state, updatedAt: isoTime(view.updatedAt), data: items.map(stateChange), nextCursor };
  }

  private async ownerOf(caller: Caller, id: string, user: string | undefined): Promise<Principal> {
    const { userId } = await this.find(readReach(caller, user), id);
    return { tenantId: caller.tenantId, userId };
  }

  /** @throws AppError SESSION_NOT_FOUND, AMBIGUOUS_ID */
  private async find(reach: Reach, id: string): Promise<SessionSummary> {
    const session = await this.search.find(reach, id);
    if (!session) throw new AppError('SESSION_NOT_FOUND');
    return session;
  }
}

function pageOf(limit: string | undefined, cursor: string | undefined): { limit: number; cursor?: string } {
  return { limit: Number(limit ?? DEFAULT_LIMIT), ...(cursor !== undefined && { cursor }) };
}

/** @throws AppError INVALID_PARAMETER */
function seqOf(cursor: string): number {
  if (!/^\d{1,10}$/.test(cursor)) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return Number(cursor);
}

function sessionSummary({ lastRun, ...session }: SessionSummary): SessionSummaryDto {
  return {
    id: session.sessionId,
    userId: session.userId,
    createdAt: isoTime(session.createdAt),
    updatedAt: isoTime(session.updatedAt),
    messageCount: session.messageCount,
    title: session.title,
    lastRun: lastRun && {
      id: lastRun.runId,
      agent: lastRun.agentType,
      wire: lastRun.wire,
      status: lastRun.state,
      input: lastRun.inputText,
      waitsFor: lastRun.waitsFor,
    },
  };
}

function stateChange({ runId, event: logged }: StateChange): StateChangeDto {
  const { seq, at, event } = logged;
  if (event.object !== 'state') throw new TypeError(`Event ${seq} of ${runId} is not of the state`);
  const time = isoTime(at);
  if (event.kind === 'delta') return { runId, seq, at: time, kind: event.kind, patch: event.patch };
  const { kind, snapshot, initial } = event;
  return { runId, seq, at: time, kind, snapshot, ...(initial && { initial: true }) };
}
