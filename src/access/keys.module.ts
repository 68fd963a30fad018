import { Global, Module } from '@nestjs/common';
import { AccessCache } from './access-cache.js';
import { TypeOrmApiKeyStore } from './adapters/typeorm-api-key-store.js';
import { TypeOrmTenantStore } from './adapters/typeorm-tenant-store.js';
import { ApiKeys, ApiKeyVerifier } from './api-keys/index.js';
import { ApiKeyStore } from './ports/api-key-store.js';
import { TenantStore } from './ports/tenant-store.js';
import { TenantDirectory } from './tenant-directory.js';
import { Tenants } from './tenants/tenants.js';

/** API keys and tenants. Needs the global `Database`, `UnitOfWork` and `Clock`; works without a server. */
@Global()
@Module({
  providers: [
    AccessCache,
    { provide: ApiKeyStore, useClass: TypeOrmApiKeyStore },
    { provide: TenantStore, useClass: TypeOrmTenantStore },
    ApiKeys,
    ApiKeyVerifier,
    Tenants,
    { provide: TenantDirectory, useExisting: Tenants },
  ],
  exports: [ApiKeys, ApiKeyVerifier, Tenants, TenantDirectory, TenantStore],
})
export class KeysModule {}
