import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { requestScope, ShapePipe } from '../http/index.js';
import { AnswerDesk } from './answer-desk.js';
import { ApiQuestionRoute } from './api-docs.js';
import { InterruptAnswerDto, InterruptDto, InterruptListDto } from './dto/interrupt.dto.js';
import { OwnerQueryDto, QuestionsQueryDto } from './dto/queries.dto.js';
import { InterruptAnswerPipe, type RestAnswer } from './interrupt-answer.pipe.js';
import { interruptView } from './question-views.js';

const ANSWERS = {
  input: { summary: 'An input', value: { payload: { seat: '12A' } } },
  cancel: { summary: 'Give up', value: { cancel: true } },
  approve: { summary: 'A permission', value: { approve: true } },
};

/** All questions that runs wait for: permissions, and inputs that agents ask for. */
@ApiTags('Approvals')
@Controller('interrupts')
export class InterruptsController {
  constructor(private readonly desk: AnswerDesk) {}

  @Get()
  @ApiOkResponse({ type: InterruptListDto })
  @ApiQuestionRoute('List questions', 'Permissions and inputs, newest first.', [400, 503])
  async list(@Query(new ShapePipe(QuestionsQueryDto)) query: QuestionsQueryDto): Promise<InterruptListDto> {
    const { items, nextCursor = null } = await this.desk.list(requestScope(query.user_id), query);
    return { data: items.map(interruptView), nextCursor };
  }

  @Get(':id')
  @ApiOkResponse({ type: InterruptDto })
  @ApiQuestionRoute('Read a question', 'As it stands now.', [404, 503])
  async read(
    @Param('id') id: string,
    @Query(new ShapePipe(OwnerQueryDto)) { user_id: userId }: OwnerQueryDto,
  ): Promise<InterruptDto> {
    return interruptView(await this.desk.find(requestScope(userId), id));
  }

  @Post(':id')
  @HttpCode(200)
  @ApiBody({ type: InterruptAnswerDto, examples: ANSWERS })
  @ApiOkResponse({
    type: InterruptDto,
    description: 'The question as it stands; `resumedByRunId` is the run that goes on.',
  })
  @ApiQuestionRoute(
    'Answer a question',
    'The run goes on by itself, in its session. An input is checked against its schema. A question is answered once.',
    [400, 404, 409, 410, 503],
  )
  async answer(
    @Param('id') id: string,
    @Query(new ShapePipe(OwnerQueryDto)) { user_id: userId }: OwnerQueryDto,
    @Body(InterruptAnswerPipe) answer: RestAnswer,
  ): Promise<InterruptDto> {
    return interruptView(await this.desk.answer(requestScope(userId), id, answer));
  }
}
