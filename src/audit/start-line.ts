import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { canonicalJson, SERVER_ORIGIN, VERSION } from '../common/index.js';
import { Configuration, Fingerprints } from '../config/index.js';
import { OPERATOR_TENANT } from './audit-act.js';
import { AuditTrail } from './audit-trail.js';

/** Writes down that a server starts, and with which configuration. */
@Injectable()
export class StartLine implements OnApplicationBootstrap {
  constructor(
    private readonly trail: AuditTrail,
    private readonly configuration: Configuration,
    private readonly fingerprints: Fingerprints,
  ) {}

  /** @throws the driver's error: a server that cannot write its audit trail does not start */
  async onApplicationBootstrap(): Promise<void> {
    await this.trail.record({
      tenantId: OPERATOR_TENANT,
      action: 'config.started',
      by: SERVER_ORIGIN,
      subject: { kind: 'server', id: 'parley' },
      details: { version: VERSION, configuration: this.hash() },
    });
  }

  /** Of the settings without secrets: equal for servers that are configured alike. */
  private hash(): string {
    const shown = this.configuration.types.map((type) => {
      const slice = this.configuration.get(type) as unknown as Readonly<Record<string, unknown>>;
      const values = Object.entries(type.declarations).map(([property, { name, secret }]): [string, unknown] =>
        secret ? [name, slice[property] !== undefined] : [name, slice[property]],
      );
      return [type.title, Object.fromEntries(values)];
    });
    return createHash('sha256').update(canonicalJson(shown)).digest('hex');
  }
}
