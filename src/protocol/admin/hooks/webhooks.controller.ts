import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../../access/index.js';
import { type IssuedWebhook, type Webhook, type WebhookFields, Webhooks } from '../../../webhooks/index.js';
import { isoTime, isoTimeOrNull } from '../../../common/index.js';
import { DtoPipe, isGiven } from '../../http/index.js';
import { AdminRoute } from '../api-docs.js';
import { CreateWebhookDto, IssuedWebhookDto, UpdateWebhookDto, WebhookDto, WebhookListDto } from './dto/webhook.dto.js';

/** The endpoints of the caller's tenant (contract hooks, section A1). */
@ApiTags('Webhooks')
@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: Webhooks) {}

  @Post()
  @Needs('webhooks:write')
  @ApiBody({ type: CreateWebhookDto })
  @ApiCreatedResponse({ type: IssuedWebhookDto })
  @AdminRoute(
    'Create a webhook',
    'The secret is shown only in this response. Events are announced within two seconds, by all servers. At most 20 for each tenant.',
    [400, 409],
  )
  async create(@Body(DtoPipe) fields: CreateWebhookDto, @Caller() caller: Caller): Promise<IssuedWebhookDto> {
    const { url, events, description, format, agents, include, enabled } = fields;
    const webhook = {
      url,
      events,
      description: description ?? null,
      format: format ?? 'parley',
      agents: agents ?? null,
      include: include ?? [],
      enabled: enabled ?? true,
    };
    return issued(await this.webhooks.create(caller.tenantId, webhook, caller.origin()));
  }

  @Get()
  @Needs('webhooks:read')
  @ApiOkResponse({ type: WebhookListDto })
  @AdminRoute('List webhooks', 'Oldest first.', [])
  async list(@Caller() { tenantId }: Caller): Promise<WebhookListDto> {
    return { data: (await this.webhooks.list(tenantId)).map(shown), nextCursor: null };
  }

  @Get(':id')
  @Needs('webhooks:read')
  @ApiOkResponse({ type: WebhookDto })
  @AdminRoute('Read a webhook', 'Everything but its secret.', [404])
  async read(@Param('id') id: string, @Caller() { tenantId }: Caller): Promise<WebhookDto> {
    return shown(await this.webhooks.find(tenantId, id));
  }

  @Patch(':id')
  @Needs('webhooks:write')
  @ApiBody({ type: UpdateWebhookDto })
  @ApiOkResponse({ type: WebhookDto })
  @AdminRoute('Change a webhook', 'Takes effect within two seconds on all servers.', [400, 404])
  async update(
    @Param('id') id: string,
    @Body(DtoPipe) fields: UpdateWebhookDto,
    @Caller() caller: Caller,
  ): Promise<WebhookDto> {
    return shown(await this.webhooks.update(caller.tenantId, id, changesOf(fields), caller.origin()));
  }

  @Delete(':id')
  @Needs('webhooks:write')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is gone.' })
  @AdminRoute('Remove a webhook', 'With its deliveries: what waits is not sent.', [404])
  async remove(@Param('id') id: string, @Caller() caller: Caller): Promise<void> {
    await this.webhooks.remove(caller.tenantId, id, caller.origin());
  }

  @Post(':id/rotate')
  @Needs('webhooks:write')
  @ApiCreatedResponse({ type: IssuedWebhookDto })
  @AdminRoute('Replace the secret', 'For 24 hours, events are signed with the old secret too.', [404])
  async rotate(@Param('id') id: string, @Caller() caller: Caller): Promise<IssuedWebhookDto> {
    return issued(await this.webhooks.rotate(caller.tenantId, id, caller.origin()));
  }
}

/** Null means something for two fields only; elsewhere it counts as absent. */
function changesOf(fields: UpdateWebhookDto): Partial<WebhookFields> {
  const { url, description, events, format, agents, include, enabled } = fields;
  return {
    ...(description !== undefined && { description }),
    ...(agents !== undefined && { agents }),
    ...(isGiven(url) && { url }),
    ...(isGiven(events) && { events }),
    ...(isGiven(format) && { format }),
    ...(isGiven(include) && { include }),
    ...(isGiven(enabled) && { enabled }),
  };
}

function issued({ webhook, secret }: IssuedWebhook): IssuedWebhookDto {
  return { ...shown(webhook), secret };
}

function shown(webhook: Webhook): WebhookDto {
  const { id, url, description, events, format, agents, include, enabled, disabledReason } = webhook;
  const { createdAt, lastSuccessAt } = webhook;
  return {
    ...{ id, url, description, events, format, agents, include, enabled, disabledReason },
    createdAt: isoTime(createdAt),
    lastSuccessAt: isoTimeOrNull(lastSuccessAt),
  };
}
