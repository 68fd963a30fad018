import { Global, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CarriedHeaders, Clock } from '../common/index.js';
import { Fingerprints, keyFingerprints, ServerSettings } from '../config/index.js';
import { UserCleaners } from '../data-protection/index.js';
import { OutgoingModule } from '../outgoing/index.js';
import { AccessGuard } from './requests/access.guard.js';
import { AccessSettings } from './access.settings.js';
import { AccessActs } from './requests/access-acts.js';
import { ApiKeyVerifier, KeyCleaner } from './api-keys/index.js';
import { TypeOrmUsedTickets } from './adapters/typeorm-used-tickets.js';
import { Authenticator } from './requests/authenticator.js';
import { BrowserPolicy } from './browsers/browser-policy.js';
import type { CallerSurroundings } from './identity/caller.js';
import { CredentialWatch } from './requests/credential-watch.js';
import type { CredentialVerifier } from './identity/identity.js';
import { KeysModule } from './keys.module.js';
import { LimitsModule } from './limits.module.js';
import { RequestRates } from './limits/index.js';
import { OidcSettings } from './oidc/oidc.settings.js';
import { ProviderHttp } from './oidc/provider-http.js';
import { ProxySettings } from './proxy/proxy.settings.js';
import { ProxyVerifier } from './proxy/proxy.verifier.js';
import { RouteDeclarations } from './requests/route-declarations.js';
import { UsedTickets } from './ports/used-tickets.js';
import { TenantDirectory } from './tenants/tenant-directory.js';
import { UpgradeAdmission } from './requests/upgrade-admission.js';
import { TicketRoutes } from './tickets/ticket-routes.js';
import { ticketKeys, Tickets } from './tickets/tickets.js';

const OIDC_VERIFIER = Symbol('OidcVerifier');
const SURROUNDINGS = Symbol('CallerSurroundings');

/** Who sends a request and what they may do. Needs the settings from a global module. */
@Global()
@Module({
  imports: [KeysModule, LimitsModule, OutgoingModule],
  providers: [
    { provide: UsedTickets, useClass: TypeOrmUsedTickets },
    Tickets,
    TicketRoutes,
    AccessActs,
    CredentialWatch,
    KeyCleaner,
    ProviderHttp,
    {
      provide: OIDC_VERIFIER,
      useFactory: async (
        { roles }: AccessSettings,
        { issuers }: OidcSettings,
        tenants: TenantDirectory,
        http: ProviderHttp,
        clock: Clock,
      ) => {
        if (issuers.length === 0) return undefined;
        // A server without issuers does not load `jose`.
        const { OidcVerifier } = await import('./oidc/oidc.verifier.js');
        return new OidcVerifier({ issuers, roles, tenants, http, clock });
      },
      inject: [AccessSettings, OidcSettings, TenantDirectory, ProviderHttp, Clock],
    },
    {
      provide: ProxyVerifier,
      useFactory: (settings: ProxySettings, { roles }: AccessSettings, tenants: TenantDirectory) =>
        new ProxyVerifier(settings, roles, tenants),
      inject: [ProxySettings, AccessSettings, TenantDirectory],
    },
    {
      provide: SURROUNDINGS,
      useFactory: (carries: CarriedHeaders, acts: AccessActs): CallerSurroundings => ({
        carries,
        acting: (caller, user) => acts.actedAs(caller, user),
      }),
      inject: [CarriedHeaders, AccessActs],
    },
    {
      provide: Authenticator,
      useFactory: (
        settings: AccessSettings,
        rates: RequestRates,
        tickets: Tickets,
        surroundings: CallerSurroundings,
        ...all: (CredentialVerifier | undefined)[]
      ) => {
        const verifiers = all.flatMap((one) => (one && settings.methods.includes(one.method) ? [one] : []));
        return new Authenticator(settings, verifiers, rates, tickets, surroundings);
      },
      inject: [
        ...[AccessSettings, RequestRates, Tickets, SURROUNDINGS],
        ...[ApiKeyVerifier, OIDC_VERIFIER, ProxyVerifier],
      ],
    },
    BrowserPolicy,
    UpgradeAdmission,
    RouteDeclarations,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [
    AccessActs,
    Authenticator,
    BrowserPolicy,
    CredentialWatch,
    LimitsModule,
    TicketRoutes,
    Tickets,
    UpgradeAdmission,
    UsedTickets,
  ],
})
export class AccessModule {
  constructor(
    fingerprints: Fingerprints,
    settings: AccessSettings,
    server: ServerSettings,
    users: UserCleaners,
    keys: KeyCleaner,
  ) {
    users.register(keys);
    const name = 'ACCESS_TICKET_KEYS';
    fingerprints.add(name, () => keyFingerprints(name, ticketKeys(settings, server)));
  }
}
