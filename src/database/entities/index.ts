import { OutboxDeliveryEntity } from './outbox-delivery.entity.js';
import { RunHookEntity } from './run-hook.entity.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { AttachmentBindingEntity } from './attachment-binding.entity.js';
import { AttachmentEntity } from './attachment.entity.js';
import { AuditChainEntity } from './audit-chain.entity.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { AuditLineEntity } from './audit-line.entity.js';
import { AuditPayloadEntity } from './audit-payload.entity.js';
import { AuditPendingEntity } from './audit-pending.entity.js';
import { AuditSealEntity } from './audit-seal.entity.js';
import { BudgetCounterEntity } from './budget-counter.entity.js';
import { BudgetEntity } from './budget.entity.js';
import { ChoreEntity } from './chore.entity.js';
import { EraseJobEntity } from './erase-job.entity.js';
import { InterruptEntity } from './interrupt.entity.js';
import { MessageEntity } from './message.entity.js';
import { PriceEntity } from './price.entity.js';
import { RunEventChunkEntity } from './run-event-chunk.entity.js';
import { RunMetadataEntity } from './run-metadata.entity.js';
import { RunResultEntity } from './run-result.entity.js';
import { RunStepEntity } from './run-step.entity.js';
import { RunEntity } from './run.entity.js';
import { ScheduleEntity } from './schedule.entity.js';
import { SessionEntity } from './session.entity.js';
import { TenantDataKeyEntity } from './tenant-data-key.entity.js';
import { TenantEntity } from './tenant.entity.js';
import { UsageDayEntity } from './usage-day.entity.js';
import { UsageEntryEntity } from './usage-entry.entity.js';
import { UsedTicketEntity } from './used-ticket.entity.js';
import { UserPseudonymEntity } from './user-pseudonym.entity.js';
import { UserSettingsEntity } from './user-settings.entity.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookEntity } from './webhook.entity.js';
import { WorkerEntity } from './worker.entity.js';

export {
  ApiKeyEntity,
  AttachmentBindingEntity,
  AttachmentEntity,
  AuditChainEntity,
  AuditEntryEntity,
  AuditLineEntity,
  AuditPayloadEntity,
  AuditPendingEntity,
  AuditSealEntity,
  UserPseudonymEntity,
  ChoreEntity,
  InterruptEntity,
  MessageEntity,
  RunEntity,
  RunEventChunkEntity,
  RunMetadataEntity,
  RunResultEntity,
  RunStepEntity,
  SessionEntity,
  TenantEntity,
  UsedTicketEntity,
  UserSettingsEntity,
  WorkerEntity,
  RunHookEntity,
  OutboxDeliveryEntity,
  PriceEntity,
  BudgetEntity,
  BudgetCounterEntity,
  UsageEntryEntity,
  UsageDayEntity,
  WebhookDeliveryEntity,
  WebhookEntity,
  ScheduleEntity,
  TenantDataKeyEntity,
  EraseJobEntity,
};

/** Every table of the core schema. */
export const ENTITIES = [
  SessionEntity,
  MessageEntity,
  RunEntity,
  RunEventChunkEntity,
  RunResultEntity,
  RunStepEntity,
  InterruptEntity,
  AuditEntryEntity,
  AuditLineEntity,
  AuditPayloadEntity,
  AuditPendingEntity,
  AuditSealEntity,
  AuditChainEntity,
  UserPseudonymEntity,
  UserSettingsEntity,
  AttachmentEntity,
  AttachmentBindingEntity,
  TenantEntity,
  ApiKeyEntity,
  UsedTicketEntity,
  WorkerEntity,
  ChoreEntity,
  RunMetadataEntity,
  RunHookEntity,
  OutboxDeliveryEntity,
  PriceEntity,
  BudgetEntity,
  BudgetCounterEntity,
  UsageEntryEntity,
  UsageDayEntity,
  WebhookEntity,
  WebhookDeliveryEntity,
  ScheduleEntity,
  TenantDataKeyEntity,
  EraseJobEntity,
];
