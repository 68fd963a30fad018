import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../../access/index.js';
import { WebhookDeliveries, type WebhookDelivery } from '../../../webhooks/index.js';
import { isoTime, isoTimeOrNull } from '../../../common/index.js';
import { DtoPipe } from '../../http/index.js';
import { AdminRoute } from '../api-docs.js';
import { DeliveryQueryDto, WebhookDeliveryDto, WebhookDeliveryListDto } from './dto/webhook.dto.js';

const PAGE = 20;

/** What was announced to the endpoints of the caller's tenant (contract hooks, section A4). */
@ApiTags('Webhooks')
@Controller('api/v1/webhooks/:id')
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  @Get('deliveries')
  @Needs('webhooks:read')
  @ApiOkResponse({ type: WebhookDeliveryListDto })
  @AdminRoute('List deliveries', 'Newest first, with their attempts. Kept for `WEBHOOK_RETENTION`.', [400, 404])
  async list(
    @Param('id') id: string,
    @Query(DtoPipe) { status, limit, cursor }: DeliveryQueryDto,
    @Caller() { tenantId }: Caller,
  ): Promise<WebhookDeliveryListDto> {
    const { items, nextCursor } = await this.deliveries.list(tenantId, id, {
      ...(status !== undefined && { status }),
      ...(cursor !== undefined && { cursor }),
      limit: Number(limit ?? PAGE),
    });
    return { data: items.map(shown), nextCursor };
  }

  @Post('deliveries/:delivery/redeliver')
  @Needs('webhooks:write')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: WebhookDeliveryDto })
  @AdminRoute('Send a delivery again', 'With the same id and the same body, at once.', [404, 409])
  async redeliver(
    @Param('id') id: string,
    @Param('delivery') delivery: string,
    @Caller() { tenantId }: Caller,
  ): Promise<WebhookDeliveryDto> {
    return shown(await this.deliveries.redeliver(tenantId, id, delivery));
  }

  @Post('test')
  @Needs('webhooks:write')
  @HttpCode(202)
  @ApiAcceptedResponse({ type: WebhookDeliveryDto })
  @AdminRoute('Send a test event', 'An `endpoint.test` without data, whatever events the endpoint wants.', [404, 409])
  async test(@Param('id') id: string, @Caller() { tenantId }: Caller): Promise<WebhookDeliveryDto> {
    return shown(await this.deliveries.test(tenantId, id));
  }
}

function shown(delivery: WebhookDelivery): WebhookDeliveryDto {
  const { id, type, runId, status, body, createdAt, dueAt, endedAt, log } = delivery;
  const next = status === 'waiting' ? new Date(Math.max(dueAt, createdAt)).toISOString() : null;
  return {
    ...{ id, type, runId, status, body },
    createdAt: isoTime(createdAt),
    nextAttemptAt: next,
    endedAt: isoTimeOrNull(endedAt),
    attempts: log.map((attempt) => ({ ...attempt, at: isoTime(attempt.at) })),
  };
}
