import { AuditEntryEntity } from './audit-entry.entity.js';
import { InterruptEntity } from './interrupt.entity.js';
import { MessageEntity } from './message.entity.js';
import { RunEventChunkEntity } from './run-event-chunk.entity.js';
import { RunStepEntity } from './run-step.entity.js';
import { RunEntity } from './run.entity.js';
import { SessionEntity } from './session.entity.js';

export {
  AuditEntryEntity,
  InterruptEntity,
  MessageEntity,
  RunEntity,
  RunEventChunkEntity,
  RunStepEntity,
  SessionEntity,
};

/** Every table of the ledger. */
export const ENTITIES = [
  SessionEntity,
  MessageEntity,
  RunEntity,
  RunEventChunkEntity,
  RunStepEntity,
  InterruptEntity,
  AuditEntryEntity,
];
