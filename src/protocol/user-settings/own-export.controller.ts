import { Controller, Get, Header, Query, Res, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, CredentialWatch, namedUser, Needs, SERVICE_USER_PREFIX } from '../../access/index.js';
import { AppError, type Principal } from '../../common/index.js';
import { UserExports } from '../../data-protection/index.js';
import { ActiveStreams, DtoPipe, JSON_LINES, jsonLines } from '../http/index.js';
import { ErrorBodyDto } from '../wire/api-route.js';
import { UserQueryDto } from './dto/user-settings.dto.js';

/** What is stored of the user that the credential acts for (contract access, section 9). */
@ApiTags('Data protection')
@Needs('runs:read')
@Controller('api/v1/users/me/export')
export class OwnExportController {
  constructor(
    private readonly exports: UserExports,
    private readonly active: ActiveStreams,
    private readonly credentials: CredentialWatch,
  ) {}

  @Get()
  @Header('cache-control', 'no-store')
  @ApiProduces(JSON_LINES)
  @ApiOperation({
    summary: 'Export what is stored of oneself',
    description: 'As `GET /admin/users/{id}/export`, of the user that the request acts for.',
  })
  @ApiOkResponse({
    schema: { type: 'string', format: 'binary' },
    description: 'JSON Lines: a head, what is stored, and an end with counts.',
  })
  @ApiResponse({ status: 400, description: 'The request acts for no user, or user_id is invalid.', type: ErrorBodyDto })
  @ApiResponse({ status: 404, description: 'The tenant was renamed a moment ago.', type: ErrorBodyDto })
  @ApiResponse({ status: 409, description: "The user's data is being erased.", type: ErrorBodyDto })
  async export(
    @Query(DtoPipe) { user_id: userId }: UserQueryDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile | undefined> {
    const named = namedUser('user_id', userId);
    const user = personOf(caller, named);
    const { active, credentials } = this;
    const begin = (): Promise<AsyncIterable<Uint8Array>> => this.exports.begin(user, caller.origin(named));
    return jsonLines(begin, 'my-data.jsonl', { active, credentials, caller, reply });
  }
}

/** @throws AppError MISSING_PARAMETER for a request that acts for nobody but its key, or for nobody known */
function personOf(caller: Caller, named: ReturnType<typeof namedUser>): Principal {
  const user = caller.actingFor(caller.oneUser(named, caller.headerUser()));
  const isNamed = caller.identity !== undefined || named !== undefined || caller.headerUser() !== undefined;
  if (isNamed && !user.userId.startsWith(SERVICE_USER_PREFIX)) return user;
  throw new AppError(
    'MISSING_PARAMETER',
    'This request acts for no user: name one with X-User-Id, or use GET /admin/users/{id}/export',
  );
}
