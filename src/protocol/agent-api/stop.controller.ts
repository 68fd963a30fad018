import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AppError } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { requestPrincipal, ShapePipe } from '../http/index.js';
import { ApiRoute } from './api-docs.js';
import { StopAnswerDto } from './dto/answers.dto.js';
import { STOP_EXAMPLES } from './dto/examples.js';
import { StopRequestDto } from './dto/stop-request.dto.js';

/** `POST /stop`: stops the runs of a session, or one run. */
@ApiTags('Agent API')
@Controller()
export class StopController {
  constructor(private readonly runs: Runs) {}

  @Post('stop')
  @HttpCode(200)
  @ApiBody({ type: StopRequestDto, examples: STOP_EXAMPLES })
  @ApiOkResponse({ type: StopAnswerDto })
  @ApiRoute('Stop runs', 'Requests the stop of a session or of one run. Nothing to stop is no error.', [400, 404])
  async stop(@Body(new ShapePipe(StopRequestDto)) request: StopRequestDto): Promise<StopAnswerDto> {
    const { session_id: sessionId, user_id: userId, response_id: runId } = request;
    const principal = requestPrincipal(userId ?? sessionId);
    if (runId !== undefined) {
      const { finishedAt, state } = await this.runs.view(principal, runId);
      // One that waits for a person is over, but what it waits for can still be closed.
      const isOver = finishedAt !== null && state !== 'interrupted';
      if (!isOver) await this.runs.cancel(principal, runId);
      return { status: 'ok', stopped: isOver ? [] : [runId] };
    }
    if (sessionId !== undefined) return { status: 'ok', stopped: await this.runs.cancelSession(principal, sessionId) };
    throw new AppError('MISSING_PARAMETER', 'session_id or response_id is required');
  }
}
