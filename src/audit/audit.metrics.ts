import { Injectable } from '@nestjs/common';
import { type Counter, type Labelled, Metrics } from '../common/index.js';

/** What is counted of the audit trail by this process. */
@Injectable()
export class AuditMetrics {
  /** By action. */
  readonly lines: Labelled<Counter>;
  readonly sealed: Counter;
  readonly sealFailures: Counter;

  constructor(readonly registry: Metrics) {
    this.lines = registry.counters({
      name: 'parley_audit_lines_total',
      help: 'Lines of the audit trail that this process has written, by action.',
      labels: ['action'],
    });
    this.sealed = registry.counter({
      name: 'parley_audit_sealed_total',
      help: 'Lines of the audit trail that this process has sealed.',
    });
    this.sealFailures = registry.counter({
      name: 'parley_audit_seal_failures_total',
      help: 'Times that this process could not seal waiting lines of the audit trail.',
    });
  }
}
