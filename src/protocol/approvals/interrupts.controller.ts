import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, type NamedUser, namedUser, Needs } from '../../access/index.js';
import type { ListedInterrupt } from '../../agent/interrupt/index.js';
import { AppError, type Json, type JsonObject } from '../../common/index.js';
import type { InterruptAnswer } from '../../run/index.js';
import { DtoPipe } from '../http/index.js';
import { InterruptService, listReach } from './interrupt.service.js';
import { ApiInterruptRoute } from './api-docs.js';
import { InterruptAnswerDto, InterruptDto, InterruptListDto } from './dto/interrupt.dto.js';
import { InterruptsQueryDto, OwnerQueryDto } from './dto/queries.dto.js';
import { interruptView } from './interrupt.mapper.js';

const ANSWERS = {
  input: { summary: 'An input', value: { payload: { seat: '12A' } } },
  cancel: { summary: 'Cancel', value: { cancel: true } },
  approve: { summary: 'An approval', value: { approve: true } },
};

/** All interrupts: approvals, and inputs that agents ask for. */
@ApiTags('Approvals')
@Controller('interrupts')
export class InterruptsController {
  constructor(private readonly service: InterruptService) {}

  @Get()
  @Needs('runs:read', 'approvals:decide')
  @ApiOkResponse({ type: InterruptListDto })
  @ApiInterruptRoute('List interrupts', 'Approvals and inputs, newest first.', [400, 503])
  async list(@Query(DtoPipe) query: InterruptsQueryDto, @Caller() caller: Caller): Promise<InterruptListDto> {
    const { items, nextCursor = null } = await this.service.list(listReach(caller, query), query);
    const user = namedUser('user_id', query.user_id);
    return { data: items.map((one) => this.shown(caller, user, one)), nextCursor };
  }

  @Get(':id')
  @Needs('runs:read', 'approvals:decide')
  @ApiOkResponse({ type: InterruptDto })
  @ApiInterruptRoute('Read an interrupt', 'Its current status.', [404, 503])
  async read(
    @Param('id') id: string,
    @Query(DtoPipe) { user_id: userId }: OwnerQueryDto,
    @Caller() caller: Caller,
  ): Promise<InterruptDto> {
    const user = namedUser('user_id', userId);
    return this.shown(caller, user, await this.service.find(caller, user, id));
  }

  @Post(':id')
  @Needs('runs:write', 'approvals:decide')
  @HttpCode(200)
  @ApiBody({ type: InterruptAnswerDto, examples: ANSWERS })
  @ApiOkResponse({
    type: InterruptDto,
    description: 'The interrupt; `resumedByRunId` is the run that continues.',
  })
  @ApiInterruptRoute(
    'Answer an interrupt',
    'A new run continues the session. An input is checked against its schema. An interrupt is answered once.',
    [400, 404, 409, 410, 503],
  )
  async answer(
    @Param('id') id: string,
    @Query(DtoPipe) { user_id: userId }: OwnerQueryDto,
    @Caller() caller: Caller,
    @Body(DtoPipe) body: InterruptAnswerDto,
  ): Promise<InterruptDto> {
    const user = namedUser('user_id', userId);
    const answer = restAnswer(body);
    return this.shown(caller, user, await this.service.answer(caller, user, id, answer));
  }

  private shown(caller: Caller, user: NamedUser | undefined, view: ListedInterrupt): InterruptDto {
    return interruptView(view, this.service.refusal(caller, user, view));
  }
}

/** An answer to the interrupt that the path names. */
type RestAnswer = Omit<InterruptAnswer, 'interruptId'>;

/** What a body says: `cancel` counts before all else. @throws AppError MISSING_PARAMETER without payload, approve and cancel */
function restAnswer({ cancel, approve, reason, payload, arguments: edited }: InterruptAnswerDto): RestAnswer {
  const why = reason === undefined ? {} : { reason };
  if (cancel === true) return { status: 'cancelled', ...why };
  if (payload === undefined && approve === undefined) {
    throw new AppError('MISSING_PARAMETER', 'payload, approve or cancel is required');
  }
  return {
    status: 'resolved',
    ...why,
    ...(payload !== undefined && { payload: payload as Json }),
    ...(approve !== undefined && { approve }),
    ...(edited && { editedArguments: edited as JsonObject }),
  };
}
