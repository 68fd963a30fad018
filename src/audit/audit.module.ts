import { Global, Module } from '@nestjs/common';
import { Fingerprints, keyFingerprints } from '../config/index.js';
import { SqlAuditChains } from './adapters/audit-chains.sql.js';
import { SqlAuditLog } from './adapters/audit-log.sql.js';
import { SqlAuditReports } from './adapters/audit-reports.sql.js';
import { TypeOrmOldEntries } from './adapters/typeorm-old-entries.js';
import { AuditErasure } from './audit-erasure.js';
import { AuditExports } from './audit-export.js';
import { AuditReport } from './audit-report.js';
import { AuditSealer } from './audit-sealer.js';
import { AuditSealing } from './audit-sealing.js';
import { AuditSettings } from './audit.settings.js';
import { AuditChores, AuditRetention, OldEntryMover } from './audit-upkeep.js';
import { AuditTrail } from './audit-trail.js';
import { AuditVerification } from './audit-verification.js';
import { AuditMetrics } from './audit.metrics.js';
import { AuditChains } from './ports/audit-chains.js';
import { AuditLog } from './ports/audit-log.js';
import { AuditReports } from './ports/audit-reports.js';
import { OldEntries } from './ports/old-entries.js';
import { SampledActs } from './sampled-acts.js';
import { StartLine } from './start-line.js';

const WRITING = [{ provide: AuditLog, useClass: SqlAuditLog }, AuditMetrics, AuditTrail];
const READING = [
  { provide: AuditChains, useClass: SqlAuditChains },
  { provide: AuditReports, useClass: SqlAuditReports },
  AuditSealer,
  AuditVerification,
  AuditExports,
  AuditReport,
];

/** The audit trail for commands: lines, seals, checks. Needs the database, `AuditSettings`, `Clock` and `Metrics`. */
@Global()
@Module({ providers: [...WRITING, ...READING], exports: [...WRITING, ...READING] })
export class AuditStoreModule {}

/** The audit trail of a server. Needs `Chores` and the configuration from global modules too. */
@Global()
@Module({
  imports: [AuditStoreModule],
  providers: [
    { provide: OldEntries, useClass: TypeOrmOldEntries },
    AuditSealing,
    AuditRetention,
    OldEntryMover,
    AuditErasure,
    AuditChores,
    SampledActs,
    StartLine,
  ],
  exports: [AuditErasure, AuditRetention, AuditSealing, SampledActs],
})
export class AuditModule {
  constructor(fingerprints: Fingerprints, settings: AuditSettings) {
    const name = 'AUDIT_KEYS';
    const { keys } = settings;
    if (keys) fingerprints.add(name, () => keyFingerprints(name, keys));
  }
}
