import { Global, Module } from '@nestjs/common';
import { UserExporters } from '../data-protection/index.js';
import { TenantRetention } from '../retention/index.js';
import { AccessCache } from './cache/access-cache.js';
import { TypeOrmApiKeyStore } from './adapters/typeorm-api-key-store.js';
import { TypeOrmTenantStore } from './adapters/typeorm-tenant-store.js';
import { ActorStanding, ApiKeys, ApiKeyVerifier, KEY_EXPORT, KeyActs } from './api-keys/index.js';
import { ApiKeyStore } from './ports/api-key-store.js';
import { TenantStore } from './ports/tenant-store.js';
import { TenantDirectory } from './tenants/tenant-directory.js';
import { StoredRetention, TenantRetentions } from './tenants/tenant-retentions.js';
import { Tenants } from './tenants/tenants.js';

/**
 * API keys and tenants. Needs the global `Database`, `UnitOfWork`, `AuditTrail`, `UserExporters` and `Clock`; works without a
 * server.
 */
@Global()
@Module({
  providers: [
    AccessCache,
    { provide: ApiKeyStore, useClass: TypeOrmApiKeyStore },
    { provide: TenantStore, useClass: TypeOrmTenantStore },
    ActorStanding,
    ApiKeys,
    KeyActs,
    ApiKeyVerifier,
    Tenants,
    TenantRetentions,
    { provide: TenantRetention, useClass: StoredRetention },
    { provide: TenantDirectory, useExisting: Tenants },
  ],
  exports: [
    AccessCache,
    ActorStanding,
    ApiKeys,
    ApiKeyStore,
    ApiKeyVerifier,
    Tenants,
    TenantDirectory,
    TenantRetention,
    TenantRetentions,
    TenantStore,
  ],
})
export class KeysModule {
  constructor(exporters: UserExporters) {
    exporters.register(KEY_EXPORT);
  }
}
