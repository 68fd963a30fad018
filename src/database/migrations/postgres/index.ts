import { CreateLedger1795219200000 } from './1795219200000-create-ledger.js';
import { CreateInterrupts1795305600000 } from './1795305600000-create-interrupts.js';
import { ExtendRuns1795392000000 } from './1795392000000-extend-runs.js';
import { CreateUserSettings1795478400000 } from './1795478400000-create-user-settings.js';
import { CreateAttachments1795564800000 } from './1795564800000-create-attachments.js';
import { IndexMessageIds1795651200000 } from './1795651200000-index-message-ids.js';
import { KeepRunDigests1795737600000 } from './1795737600000-keep-run-digests.js';
import { CreateTenants1795824000000 } from './1795824000000-create-tenants.js';
import { OwnRunIds1795910400000 } from './1795910400000-own-run-ids.js';
import { IndexActiveRuns1795996800000 } from './1795996800000-index-active-runs.js';
import { KeepAuthority1796083200000 } from './1796083200000-keep-authority.js';
import { CreateUsedTickets1796169600000 } from './1796169600000-create-used-tickets.js';
import { CreateWorkers1796256000000 } from './1796256000000-create-workers.js';
import { ListRuns1796515200000 } from './1796515200000-list-runs.js';
import { AddRunPlaces1796601600000 } from './1796601600000-add-run-places.js';
import { CompactLogs1796688000000 } from './1796688000000-compact-logs.js';
import { CreateChores1796774400000 } from './1796774400000-create-chores.js';
import { PartitionEvents1796860800000 } from './1796860800000-partition-events.js';
import { ShrinkRunIndexes1796947200000 } from './1796947200000-shrink-run-indexes.js';
import { IndexAttachments1797033600000 } from './1797033600000-index-attachments.js';
import { CreatePartitions1797120000000 } from './1797120000000-create-partitions.js';
import { NarrowIndexes1797206400000 } from './1797206400000-narrow-indexes.js';
import { BindApprovals1797292800000 } from './1797292800000-bind-approvals.js';
import { KeepProviderStates1797379200000 } from './1797379200000-keep-provider-states.js';
import { ListRunMetadata1797465600000 } from './1797465600000-list-run-metadata.js';
import { NameAnsweringModels1797552000000 } from './1797552000000-name-answering-models.js';
import { ChainRuns1797638400000 } from './1797638400000-chain-runs.js';
import { CreateOutbox1797724800000 } from './1797724800000-create-outbox.js';
import { CreateUsage1798300000000 } from './1798300000000-create-usage.js';
import { CreateWebhooks1798400000000 } from './1798400000000-create-webhooks.js';
import { CreateSchedules1798400000001 } from './1798400000001-create-schedules.js';
import { CreateAuditTrail1798500000000 } from './1798500000000-create-audit-trail.js';
import { SealContent1798700000000 } from './1798700000000-seal-content.js';
import { IndexUnlistedSessions1798850000000 } from './1798850000000-index-unlisted-sessions.js';
import { CreateEraseJobs1798900000000 } from './1798900000000-create-erase-jobs.js';
import { IndexUnprunedRuns1798910000000 } from './1798910000000-index-unpruned-runs.js';
import { IndexRunKeys1798920000000 } from './1798920000000-index-run-keys.js';

/** In the order they are applied; a landed migration is never edited. */
export const POSTGRES_MIGRATIONS = [
  CreateLedger1795219200000,
  CreateInterrupts1795305600000,
  ExtendRuns1795392000000,
  CreateUserSettings1795478400000,
  CreateAttachments1795564800000,
  IndexMessageIds1795651200000,
  KeepRunDigests1795737600000,
  CreateTenants1795824000000,
  OwnRunIds1795910400000,
  IndexActiveRuns1795996800000,
  KeepAuthority1796083200000,
  CreateUsedTickets1796169600000,
  CreateWorkers1796256000000,
  ListRuns1796515200000,
  AddRunPlaces1796601600000,
  CompactLogs1796688000000,
  CreateChores1796774400000,
  PartitionEvents1796860800000,
  ShrinkRunIndexes1796947200000,
  IndexAttachments1797033600000,
  CreatePartitions1797120000000,
  NarrowIndexes1797206400000,
  BindApprovals1797292800000,
  KeepProviderStates1797379200000,
  ListRunMetadata1797465600000,
  NameAnsweringModels1797552000000,
  ChainRuns1797638400000,
  CreateOutbox1797724800000,
  CreateUsage1798300000000,
  CreateWebhooks1798400000000,
  CreateSchedules1798400000001,
  CreateAuditTrail1798500000000,
  SealContent1798700000000,
  IndexUnlistedSessions1798850000000,
  CreateEraseJobs1798900000000,
  IndexUnprunedRuns1798910000000,
  IndexRunKeys1798920000000,
];
