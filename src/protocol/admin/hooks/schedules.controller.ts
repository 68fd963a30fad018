import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiTags,
} from '@nestjs/swagger';
import { AgentRegistry } from '../../../agent/index.js';
import { Caller, Needs } from '../../../access/index.js';
import { Clock, isoTime } from '../../../common/index.js';
import { ScheduleFiring, Schedules } from '../../../schedules/index.js';
import { DtoPipe } from '../../http/index.js';
import { AdminRoute } from '../api-docs.js';
import {
  CreateScheduleDto,
  ScheduleDto,
  ScheduledRunListDto,
  ScheduleListDto,
  SchedulePageQueryDto,
  SchedulePreviewDto,
  ScheduleTimesDto,
  StartedScheduleDto,
  UpdateScheduleDto,
} from './dto/schedule.dto.js';
import { changesOf, requiredPlan, shownRun, shownSchedule } from './schedule-fields.js';

const PAGE = 20;
const PREVIEWED = 5;

/** The schedules of the caller's user, or of those that it may act for (contract hooks, section B). */
@ApiTags('Schedules')
@Controller('api/v1/schedules')
export class SchedulesController {
  constructor(
    private readonly schedules: Schedules,
    private readonly firing: ScheduleFiring,
    private readonly agents: AgentRegistry,
    private readonly clock: Clock,
  ) {}

  @Post()
  @Needs('schedules:write')
  @ApiBody({ type: CreateScheduleDto })
  @ApiCreatedResponse({ type: ScheduleDto })
  @AdminRoute(
    'Create a schedule',
    'Its runs belong to the user of the caller and have the rights of the caller, which are checked again each time.',
    [400, 404, 409],
  )
  async create(@Body(DtoPipe) body: CreateScheduleDto, @Caller() caller: Caller): Promise<ScheduleDto> {
    const defaults = { agent: this.agents.defaultName, session: 'new', overlap: 'skip', catchUp: 'last' } as const;
    const rest = { jitterSeconds: 0, expiresAt: null, enabled: true, metadata: null, modelOptions: null };
    const required = { name: body.name, input: body.input as string, plan: requiredPlan(body) };
    const input = { ...defaults, ...rest, ...required, ...changesOf(body) };
    return shownSchedule(await this.schedules.create(caller.principal, caller.authority, input, caller.origin()));
  }

  @Get()
  @Needs('schedules:read')
  @ApiOkResponse({ type: ScheduleListDto })
  @AdminRoute('List schedules', 'Newest first.', [400])
  async list(
    @Query(DtoPipe) { limit, cursor }: SchedulePageQueryDto,
    @Caller() caller: Caller,
  ): Promise<ScheduleListDto> {
    const size = Number(limit ?? PAGE);
    const { items, nextCursor } = await this.schedules.list(caller.listReach, size, cursor);
    return { data: items.map(shownSchedule), nextCursor };
  }

  @Post('preview')
  @Needs('schedules:read')
  @HttpCode(200)
  @ApiBody({ type: SchedulePreviewDto })
  @ApiOkResponse({ type: ScheduleTimesDto })
  @AdminRoute('The next times of a plan', 'Nothing is stored.', [400])
  async preview(@Body(DtoPipe) body: SchedulePreviewDto): Promise<ScheduleTimesDto> {
    const plan = requiredPlan(body);
    const times = await this.schedules.preview(plan, body.timezone ?? undefined, body.count ?? PREVIEWED);
    return { times: times.map(isoTime) };
  }

  @Get(':id')
  @Needs('schedules:read')
  @ApiOkResponse({ type: ScheduleDto })
  @AdminRoute('Read a schedule', 'With its next planned time and its last run.', [404])
  async read(@Param('id') id: string, @Caller() { reach }: Caller): Promise<ScheduleDto> {
    return shownSchedule(await this.schedules.find(reach, id));
  }

  @Patch(':id')
  @Needs('schedules:write')
  @ApiBody({ type: UpdateScheduleDto })
  @ApiOkResponse({ type: ScheduleDto })
  @AdminRoute(
    'Change a schedule',
    'A new plan or zone counts from now. From now on its runs have the rights of the caller.',
    [400, 404, 409],
  )
  async update(
    @Param('id') id: string,
    @Body(DtoPipe) body: UpdateScheduleDto,
    @Caller() caller: Caller,
  ): Promise<ScheduleDto> {
    const { reach, authority } = caller;
    return shownSchedule(await this.schedules.update(reach, id, authority, changesOf(body), caller.origin()));
  }

  @Delete(':id')
  @Needs('schedules:write')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is gone. Its runs stay.' })
  @AdminRoute('Remove a schedule', 'Its runs stay.', [404, 409])
  async remove(@Param('id') id: string, @Caller() caller: Caller): Promise<void> {
    await this.schedules.remove(caller.reach, id, caller.origin());
  }

  @Get(':id/runs')
  @Needs('schedules:read')
  @ApiOkResponse({ type: ScheduledRunListDto })
  @AdminRoute('The runs of a schedule', 'Newest first.', [400, 404])
  async runs(
    @Param('id') id: string,
    @Query(DtoPipe) { limit, cursor }: SchedulePageQueryDto,
    @Caller() { reach }: Caller,
  ): Promise<ScheduledRunListDto> {
    const size = Number(limit ?? PAGE);
    const { items, nextCursor } = await this.schedules.runs(reach, id, { limit: size, cursor });
    return { data: items.map(shownRun), nextCursor };
  }

  @Post(':id/run')
  @Needs('schedules:write')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: StartedScheduleDto })
  @AdminRoute('Run now', 'Beside the plan: it ignores `overlap`, and the next planned time stays.', [403, 404, 409])
  async run(@Param('id') id: string, @Caller() { reach }: Caller): Promise<StartedScheduleDto> {
    const schedule = await this.schedules.find(reach, id);
    const { runId, sessionId } = await this.firing.now(schedule, `now-${this.clock.now()}`);
    return { runId, sessionId };
  }
}
