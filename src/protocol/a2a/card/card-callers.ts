import { Injectable } from '@nestjs/common';
import { AccessSettings, OidcSettings } from '../../../access/index.js';
import type { CardAccess } from './agent-card.js';

/** How callers prove who they are, as cards show it. */
@Injectable()
export class CardCallers {
  /** Undefined without authentication. */
  readonly access: CardAccess | undefined;

  constructor({ methods, isAuthenticated }: AccessSettings, oidc: OidcSettings) {
    const issuers = oidc.issuers.map(({ issuer }) => issuer);
    this.access = isAuthenticated ? { hasKeys: methods.includes('keys'), issuers } : undefined;
  }
}
