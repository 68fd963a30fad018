import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import {
  type ApiKey,
  type ApiKeyFields,
  ApiKeys,
  Caller,
  type IssuedKey,
  keyManager,
  type KeyReach,
  Needs,
  readDuration,
  readLifetime,
  viewOfKey,
} from '../../access/index.js';
import { Clock } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { AdminRoute } from './api-docs.js';
import {
  ApiKeyDto,
  ApiKeyListDto,
  ApiKeyQueryDto,
  CreateApiKeyDto,
  IssuedApiKeyDto,
  RotateApiKeyDto,
  UpdateApiKeyDto,
} from './dto/api-key.dto.js';

const PAGE = 20;

/** The API keys of the caller's tenant (contract access, section 3.1). A caller can grant only what it has itself. */
@ApiTags('Administration')
@Needs('admin:keys')
@Controller('admin/keys')
export class ApiKeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly clock: Clock,
  ) {}

  @Post()
  @ApiBody({ type: CreateApiKeyDto })
  @ApiCreatedResponse({ type: IssuedApiKeyDto })
  @AdminRoute('Create a key', 'The secret is shown only in this response.', [400])
  async create(
    @Body(DtoPipe) { account, user, ...fields }: CreateApiKeyDto,
    @Caller() caller: Caller,
  ): Promise<IssuedApiKeyDto> {
    const key = { account, userId: user, ...fieldsOf(fields) };
    return this.issued(await this.keys.create(caller.tenantId, key, keyManager(caller)));
  }

  @Get()
  @ApiOkResponse({ type: ApiKeyListDto })
  @AdminRoute('List keys', 'Newest first, also expired and revoked ones.', [400])
  async list(
    @Query(DtoPipe) { account, limit, cursor }: ApiKeyQueryDto,
    @Caller() caller: Caller,
  ): Promise<ApiKeyListDto> {
    const query = { account, cursor, limit: Number(limit ?? PAGE) };
    const { items, nextCursor } = await this.keys.list(reachOf(caller), query);
    return { data: items.map((key) => this.shown(key)), nextCursor };
  }

  @Get(':id')
  @ApiOkResponse({ type: ApiKeyDto })
  @AdminRoute('Read a key', 'Everything but its secret.', [404])
  async read(@Param('id') id: string, @Caller() caller: Caller): Promise<ApiKeyDto> {
    return this.shown(await this.keys.find(reachOf(caller), id));
  }

  @Patch(':id')
  @ApiBody({ type: UpdateApiKeyDto })
  @ApiOkResponse({ type: ApiKeyDto })
  @AdminRoute('Change a key', 'Takes effect within 5 s on all servers.', [400, 404])
  async update(
    @Param('id') id: string,
    @Body(DtoPipe) fields: UpdateApiKeyDto,
    @Caller() caller: Caller,
  ): Promise<ApiKeyDto> {
    return this.shown(await this.keys.update(reachOf(caller), id, fieldsOf(fields), keyManager(caller)));
  }

  @Post(':id/rotate')
  @ApiBody({ type: RotateApiKeyDto, required: false })
  @ApiCreatedResponse({ type: IssuedApiKeyDto, description: 'The new key.' })
  @AdminRoute(
    'Replace a key by a new one',
    'The new key has the same account, user, scopes, networks and limits. The old key works until the overlap ends.',
    [400, 404, 409],
  )
  async rotate(
    @Param('id') id: string,
    @Body(DtoPipe) { overlap }: RotateApiKeyDto,
    @Caller() caller: Caller,
  ): Promise<IssuedApiKeyDto> {
    const overlapMs = overlap ? readDuration(overlap, 'overlap') : undefined;
    return this.issued(await this.keys.rotate(reachOf(caller), id, { overlapMs }, keyManager(caller)));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @ApiOkResponse({ type: ApiKeyDto })
  @AdminRoute('Revoke a key', 'Within 5 s, every server refuses it. A revoked key stays revoked.', [404])
  async revoke(@Param('id') id: string, @Caller() caller: Caller): Promise<ApiKeyDto> {
    return this.shown(await this.keys.revoke(reachOf(caller), id, keyManager(caller)));
  }

  private shown(key: ApiKey): ApiKeyDto {
    return viewOfKey(key, this.clock.now());
  }

  private issued({ key, secret }: IssuedKey): IssuedApiKeyDto {
    return { ...this.shown(key), secret };
  }
}

/** The keys of the caller's tenant alone: those of others are unknown. */
function reachOf({ tenantId }: Caller): KeyReach {
  return { of: 'tenant', tenantId };
}

/** Null counts as absent where nothing else is meant by it. */
function fieldsOf({ name, scopes, networks, expires }: UpdateApiKeyDto): ApiKeyFields {
  return { name, scopes: scopes ?? undefined, networks, expiresInMs: expires ? readLifetime(expires) : undefined };
}
