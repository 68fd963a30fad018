import { AttachmentBindingEntity } from './attachment-binding.entity.js';
import { AttachmentEntity } from './attachment.entity.js';
import { AuditEntryEntity } from './audit-entry.entity.js';
import { InterruptEntity } from './interrupt.entity.js';
import { MessageEntity } from './message.entity.js';
import { RunEventChunkEntity } from './run-event-chunk.entity.js';
import { RunStepEntity } from './run-step.entity.js';
import { RunEntity } from './run.entity.js';
import { SessionEntity } from './session.entity.js';
import { UserSettingsEntity } from './user-settings.entity.js';

export {
  AttachmentBindingEntity,
  AttachmentEntity,
  AuditEntryEntity,
  InterruptEntity,
  MessageEntity,
  RunEntity,
  RunEventChunkEntity,
  RunStepEntity,
  SessionEntity,
  UserSettingsEntity,
};

/** Every table of the core schema. */
export const ENTITIES = [
  SessionEntity,
  MessageEntity,
  RunEntity,
  RunEventChunkEntity,
  RunStepEntity,
  InterruptEntity,
  AuditEntryEntity,
  UserSettingsEntity,
  AttachmentEntity,
  AttachmentBindingEntity,
];
