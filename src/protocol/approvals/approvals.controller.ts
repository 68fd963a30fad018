import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { JsonObject } from '../../common/index.js';
import { requestScope, ShapePipe } from '../http/index.js';
import { AnswerDesk } from './answer-desk.js';
import { ApiQuestionRoute } from './api-docs.js';
import { ApprovalDecisionDto, ApprovalDto, ApprovalListDto } from './dto/approval.dto.js';
import { OwnerQueryDto, QuestionsQueryDto } from './dto/queries.dto.js';
import { approvalView } from './question-views.js';

const DECISIONS = {
  approve: { summary: 'Allow the call', value: { approve: true } },
  deny: { summary: 'Deny it, with a reason', value: { approve: false, reason: 'Not on a Sunday.' } },
};

/** Permissions for tool calls, for any client: list them, decide about them. The run goes on by itself. */
@ApiTags('Approvals')
@Controller('approvals')
export class ApprovalsController {
  constructor(private readonly desk: AnswerDesk) {}

  @Get()
  @ApiOkResponse({ type: ApprovalListDto })
  @ApiQuestionRoute('List permissions', 'Newest first; `status=pending` for those that wait.', [400, 503])
  async list(@Query(new ShapePipe(QuestionsQueryDto)) query: QuestionsQueryDto): Promise<ApprovalListDto> {
    const { items, nextCursor = null } = await this.desk.list(requestScope(query.user_id), query, 'approval');
    return { data: items.map(approvalView), nextCursor };
  }

  @Get(':id')
  @ApiOkResponse({ type: ApprovalDto })
  @ApiQuestionRoute('Read a permission', 'As it stands now.', [404, 503])
  async read(
    @Param('id') id: string,
    @Query(new ShapePipe(OwnerQueryDto)) { user_id: userId }: OwnerQueryDto,
  ): Promise<ApprovalDto> {
    return approvalView(await this.desk.find(requestScope(userId), id, 'approval'));
  }

  @Post(':id')
  @HttpCode(200)
  @ApiBody({ type: ApprovalDecisionDto, examples: DECISIONS })
  @ApiOkResponse({
    type: ApprovalDto,
    description: 'The permission as it stands; `resumedByRunId` is the run that goes on.',
  })
  @ApiQuestionRoute(
    'Decide about a permission',
    'The run goes on by itself, in its session. A permission is decided about once.',
    [400, 404, 409, 410, 503],
  )
  async decide(
    @Param('id') id: string,
    @Query(new ShapePipe(OwnerQueryDto)) { user_id: userId }: OwnerQueryDto,
    @Body(new ShapePipe(ApprovalDecisionDto)) { approve, reason, arguments: edited }: ApprovalDecisionDto,
  ): Promise<ApprovalDto> {
    const answer = {
      status: 'resolved' as const,
      approve,
      ...(reason !== undefined && { reason }),
      ...(edited && { editedArguments: edited as JsonObject }),
    };
    return approvalView(await this.desk.answer(requestScope(userId), id, answer, 'approval'));
  }
}
