import { Controller, Get, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, CredentialWatch, Needs } from '../../access/index.js';
import { AuditExports, AuditReport, AuditVerification, type Checkpoint } from '../../audit/index.js';
import { AppError } from '../../common/index.js';
import { ActiveStreams, DtoPipe, JSON_LINES, jsonLines } from '../http/index.js';
import { AdminRoute } from './api-docs.js';
import { AuditPageDto, AuditQueryDto, AuditVerificationDto, CheckpointQueryDto } from './dto/audit.dto.js';

const PAGE = 50;

/** The audit trail of the caller's tenant (contract access, section 8). Nobody can change it over HTTP. */
@ApiTags('Audit')
@Needs('audit:read')
@Controller('audit')
export class AuditController {
  constructor(
    private readonly report: AuditReport,
    private readonly verification: AuditVerification,
    private readonly exports: AuditExports,
    private readonly active: ActiveStreams,
    private readonly credentials: CredentialWatch,
  ) {}

  @Get()
  @ApiOkResponse({ type: AuditPageDto })
  @AdminRoute('List lines of the audit trail', 'Newest first. The filters must all hold.', [400])
  async list(@Query(DtoPipe) query: AuditQueryDto, @Caller() { tenantId }: Caller): Promise<AuditPageDto> {
    const { action, actor, subject, run, from, to, limit, cursor } = query;
    const times = { from: timeOf(from), to: timeOf(to) };
    const size = limit === undefined ? PAGE : Number(limit);
    const asked = { action, actor, subject, runId: run, ...times, limit: size, cursor };
    const { items, nextCursor } = await this.report.page(tenantId, asked);
    return {
      data: items.map(({ users, ...item }) => ({ ...item, users: { ...users } })),
      nextCursor,
    };
  }

  @Get('verify')
  @ApiOkResponse({ type: AuditVerificationDto })
  @AdminRoute(
    'Verify the audit trail',
    'Follows the chain of seals from its beginning to its end. With a checkpoint that was noted before, also lines that were cut off at the end are found.',
    [400],
  )
  async verify(
    @Query(DtoPipe) query: CheckpointQueryDto,
    @Caller() { tenantId }: Caller,
  ): Promise<AuditVerificationDto> {
    const checkpoints = checkpointsOf(query);
    const found = await this.verification.tenant(tenantId, checkpoints);
    const isGone = checkpoints.some(({ chain }) => chain !== found?.chain);
    if (isGone) return GONE;
    if (!found) return { whole: true, lines: 0, unsealed: 0, erased: 0, head: null, firstBreak: null };
    const { lines, unsealed, erased, head, firstBreak } = found;
    return { whole: firstBreak === null, lines, unsealed, erased, head, firstBreak };
  }

  @Get('export')
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({
    schema: { type: 'string', format: 'binary' },
    description:
      'JSON Lines: a head, the sealed lines with their seals, and an end that is sealed too. `npm run audit -- verify --file` verifies it.',
  })
  @AdminRoute('Export the audit trail', 'All sealed lines, without contents. The export itself is a line too.', [])
  async export(
    @Caller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    const { active, credentials } = this;
    const begin = async (): Promise<AsyncIterable<Uint8Array>> =>
      inBytes(await this.exports.begin(caller.tenantId, caller.origin(), { seals: true }));
    return jsonLines(begin, 'audit.jsonl', { active, credentials, caller, reply });
  }
}

async function* inBytes(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, void> {
  for await (const line of lines) yield Buffer.from(line);
}

/** A checkpoint of a chain that is not the tenant's, or is not there. */
const GONE: AuditVerificationDto = {
  whole: false,
  lines: 0,
  unsealed: 0,
  erased: 0,
  head: null,
  firstBreak: { seq: 1, kind: 'cut', message: 'The chain of the checkpoint is not there' },
};

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** @throws AppError MISSING_PARAMETER for a part of a checkpoint */
function checkpointsOf({ chain, seq, hash }: CheckpointQueryDto): readonly Checkpoint[] {
  if (chain === undefined && seq === undefined && hash === undefined) return [];
  if (chain === undefined || seq === undefined || hash === undefined)
    throw new AppError('MISSING_PARAMETER', 'A checkpoint has a chain, a seq and a hash');
  return [{ chain, seq: Number(seq), hash, at: 'earlier' }];
}
