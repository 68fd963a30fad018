import { Controller, Delete, Get, HttpCode, Param, Res, type StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, CredentialWatch, isUserId, NamesPerson, Needs } from '../../access/index.js';
import { AppError, isoTime, type Principal } from '../../common/index.js';
import { ErasureRunner, Erasures, UserExports } from '../../data-protection/index.js';
import { ActiveStreams, JSON_LINES, jsonLines } from '../http/index.js';
import { AdminRoute } from './api-docs.js';
import { ErasureDto, RequestedErasureDto } from './dto/erasure.dto.js';

/** What is stored of one user of the caller's tenant (contract access, section 9). */
@NamesPerson('id')
@ApiTags('Data protection')
@Needs('admin:data')
@Controller('admin/users')
export class UsersController {
  constructor(
    private readonly erasures: Erasures,
    private readonly runner: ErasureRunner,
    private readonly exports: UserExports,
    private readonly active: ActiveStreams,
    private readonly credentials: CredentialWatch,
  ) {}

  @Delete(':id')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: RequestedErasureDto })
  @AdminRoute(
    'Erase a user',
    "Removes everything that is stored of the user: sessions with messages, runs, events, questions, attachments with their bytes, settings, calendar, schedules, deliveries, keys that always act for the user, and the names in the audit trail. What the user has used stays in the reports, under a pseudonym. Running runs are stopped. Until it is done the user's requests that would store something are answered with 409. Asked again meanwhile, it is the same erasure. A user of whom nothing is stored is erased too: the receipt is empty.",
    [400],
  )
  async erase(@Param('id') id: string, @Caller() caller: Caller): Promise<RequestedErasureDto> {
    const jobId = await this.erasures.request(userOf(caller, id), caller.origin());
    this.runner.lookSoon();
    return { jobId };
  }

  @Get(':id/erasure')
  @ApiOkResponse({ type: ErasureDto })
  @AdminRoute('Read the receipt of an erasure', 'The newest erasure of the user.', [400, 404])
  async receipt(@Param('id') id: string, @Caller() caller: Caller): Promise<ErasureDto> {
    const { requestedAt, finishedAt, ...receipt } = await this.erasures.receipt(userOf(caller, id));
    return {
      ...receipt,
      requestedAt: isoTime(requestedAt),
      finishedAt: finishedAt === null ? null : isoTime(finishedAt),
    };
  }

  @Get(':id/export')
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({
    schema: { type: 'string', format: 'binary' },
    description:
      'JSON Lines: `{"export": {format, id, tenant, user, at, version}}`, then `{"kind", "data"}` for each thing, and `{"end": {id, complete, at, rows, unreadable, counts}}`. Without the end it was cut, and can be fetched again.',
  })
  @AdminRoute(
    'Export a user',
    'Everything that an erasure would remove or rename: sessions with messages, runs, events and steps, questions, attachments with new signed URLs, settings, calendar, schedules, deliveries, keys without secrets, budgets and usage, and what the audit trail knows of the user. The audit trail tells of the export. Of a user of whom nothing is stored, all counts are absent.',
    [400, 404, 409],
  )
  async export(
    @Param('id') id: string,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    const user = userOf(caller, id);
    const { active, credentials } = this;
    const begin = (): Promise<AsyncIterable<Uint8Array>> => this.exports.begin(user, caller.origin());
    return jsonLines(begin, 'user.jsonl', { active, credentials, caller, reply });
  }
}

/** @throws AppError INVALID_PARAMETER for what cannot be the id of a user */
function userOf({ tenantId }: Caller, userId: string): Principal {
  if (!isUserId(userId)) throw new AppError('INVALID_PARAMETER', 'This cannot be the id of a user');
  return { tenantId, userId };
}
