import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Caller, NeedsCaller } from '../../access/index.js';
import { isoTime } from '../../common/index.js';

/** Who acts. */
class ActorDto {
  @ApiProperty({ enum: ['key', 'user', 'proxy', 'cli', 'none'], description: 'What the credential is.' })
  kind!: string;

  @ApiProperty({ description: 'The id of the key, or the name of the user.' })
  id!: string;

  @ApiProperty({ required: false, description: 'The account of a key.' })
  account?: string;
}

/** What the server makes of a credential. */
export class WhoamiDto {
  @ApiProperty({ example: 'default' })
  tenantId!: string;

  @ApiProperty({ type: ActorDto })
  actor!: ActorDto;

  @ApiProperty({ description: 'The user that the request acts for.' })
  userId!: string;

  @ApiProperty({ type: [String], example: ['runs:write', 'runs:read'] })
  scopes!: string[];

  @ApiProperty({ type: [String] })
  roles!: string[];

  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'When the credential ends.' })
  expiresAt!: string | null;
}

/** `GET /whoami`: what a caller may ask about itself (contract access, section 5.5). */
@ApiTags('Access')
@NeedsCaller()
@Controller('whoami')
export class WhoamiController {
  @Get()
  @ApiOperation({ summary: 'The caller', description: 'Who the server takes the caller for, and with which rights.' })
  @ApiOkResponse({ type: WhoamiDto })
  whoami(@Caller() caller: Caller): WhoamiDto {
    const { tenantId, actor, scopes, roles, identity, principal } = caller;
    const { kind, id, account } = actor;
    const expiresAt = identity?.expiresAt;
    return {
      tenantId,
      actor: { kind, id, ...(account !== undefined && { account }) },
      userId: principal.userId,
      scopes: [...scopes.list],
      roles: [...roles],
      expiresAt: expiresAt === undefined ? null : isoTime(expiresAt),
    };
  }
}
