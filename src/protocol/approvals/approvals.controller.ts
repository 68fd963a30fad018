import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, namedUser, Needs } from '../../access/index.js';
import type { JsonObject } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { InterruptService, listReach } from './interrupt.service.js';
import { ApiInterruptRoute } from './api-docs.js';
import { ApprovalDecisionDto, ApprovalDto, ApprovalListDto } from './dto/approval.dto.js';
import { OwnerQueryDto, InterruptsQueryDto } from './dto/queries.dto.js';
import { approvalView } from './interrupt.mapper.js';

const DECISIONS = {
  approve: { summary: 'Approve the call', value: { approve: true } },
  deny: { summary: 'Deny the call with a reason', value: { approve: false, reason: 'Not on a Sunday.' } },
};

/** Approvals of tool calls, for any client. A decision continues the session with a new run. */
@ApiTags('Approvals')
@Controller('approvals')
export class ApprovalsController {
  constructor(private readonly service: InterruptService) {}

  @Get()
  @Needs('runs:read', 'approvals:decide')
  @ApiOkResponse({ type: ApprovalListDto })
  @ApiInterruptRoute('List approvals', 'Newest first; `status=pending` for those that nobody has decided.', [400, 503])
  async list(@Query(DtoPipe) query: InterruptsQueryDto, @Caller() caller: Caller): Promise<ApprovalListDto> {
    const { items, nextCursor = null } = await this.service.list(listReach(caller, query), query, 'approval');
    return { data: items.map(approvalView), nextCursor };
  }

  @Get(':id')
  @Needs('runs:read', 'approvals:decide')
  @ApiOkResponse({ type: ApprovalDto })
  @ApiInterruptRoute('Read an approval', 'Its current status.', [404, 503])
  async read(
    @Param('id') id: string,
    @Query(DtoPipe) { user_id: userId }: OwnerQueryDto,
    @Caller() caller: Caller,
  ): Promise<ApprovalDto> {
    return approvalView(await this.service.find(caller, namedUser('user_id', userId), id, 'approval'));
  }

  @Post(':id')
  @Needs('approvals:decide')
  @HttpCode(200)
  @ApiBody({ type: ApprovalDecisionDto, examples: DECISIONS })
  @ApiOkResponse({
    type: ApprovalDto,
    description: 'The approval; `resumedByRunId` is the run that continues.',
  })
  @ApiInterruptRoute(
    'Decide an approval',
    'A new run continues the session. An approval is decided once.',
    [400, 404, 409, 410, 503],
  )
  async decide(
    @Param('id') id: string,
    @Query(DtoPipe) { user_id: userId }: OwnerQueryDto,
    @Caller() caller: Caller,
    @Body(DtoPipe) { approve, reason, arguments: edited }: ApprovalDecisionDto,
  ): Promise<ApprovalDto> {
    const answer = {
      status: 'resolved' as const,
      approve,
      ...(reason !== undefined && { reason }),
      ...(edited && { editedArguments: edited as JsonObject }),
    };
    const user = namedUser('user_id', userId);
    return approvalView(await this.service.answer(caller, user, id, answer, 'approval'));
  }
}
