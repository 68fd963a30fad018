import { CreateLedger1795219200000 } from './1795219200000-create-ledger.js';
import { CreateInterrupts1795305600000 } from './1795305600000-create-interrupts.js';
import { ExtendRuns1795392000000 } from './1795392000000-extend-runs.js';
import { CreateUserSettings1795478400000 } from './1795478400000-create-user-settings.js';
import { CreateAttachments1795564800000 } from './1795564800000-create-attachments.js';
import { IndexMessageIds1795651200000 } from './1795651200000-index-message-ids.js';
import { KeepRunDigests1795737600000 } from './1795737600000-keep-run-digests.js';

/** In the order they are applied; a landed migration is never edited. */
export const SQLITE_MIGRATIONS = [
  CreateLedger1795219200000,
  CreateInterrupts1795305600000,
  ExtendRuns1795392000000,
  CreateUserSettings1795478400000,
  CreateAttachments1795564800000,
  IndexMessageIds1795651200000,
  KeepRunDigests1795737600000,
];
