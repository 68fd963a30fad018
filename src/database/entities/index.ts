import { ApiKeyEntity } from './api-key.entity.js';
import { AttachmentBindingEntity } from './attachment-binding.entity.js';
import { AttachmentEntity } from './attachment.entity.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { ChoreEntity } from './chore.entity.js';
import { InterruptEntity } from './interrupt.entity.js';
import { MessageEntity } from './message.entity.js';
import { RunEventChunkEntity } from './run-event-chunk.entity.js';
import { RunMetadataEntity } from './run-metadata.entity.js';
import { RunResultEntity } from './run-result.entity.js';
import { RunStepEntity } from './run-step.entity.js';
import { RunEntity } from './run.entity.js';
import { SessionEntity } from './session.entity.js';
import { TenantEntity } from './tenant.entity.js';
import { UsedTicketEntity } from './used-ticket.entity.js';
import { UserSettingsEntity } from './user-settings.entity.js';
import { WorkerEntity } from './worker.entity.js';

export {
  ApiKeyEntity,
  AttachmentBindingEntity,
  AttachmentEntity,
  AuditEntryEntity,
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
  UserSettingsEntity,
  AttachmentEntity,
  AttachmentBindingEntity,
  TenantEntity,
  ApiKeyEntity,
  UsedTicketEntity,
  WorkerEntity,
  ChoreEntity,
  RunMetadataEntity,
];
