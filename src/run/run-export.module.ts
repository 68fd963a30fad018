import { Module } from '@nestjs/common';
import { UserExporters } from '../data-protection/index.js';
import { SqlRunLog } from './adapters/sql/run-log.sql.js';
import { RunLog } from './ports/run-log.js';
import { RunExporter } from './query/run-exporter.js';

/** Exports of the runs of users; works without a server. Needs the global `Database` and `UserExporters`. */
@Module({ providers: [{ provide: RunLog, useClass: SqlRunLog }, RunExporter], exports: [RunLog] })
export class RunExportModule {
  constructor(exporters: UserExporters, runs: RunExporter) {
    exporters.register(runs);
  }
}
