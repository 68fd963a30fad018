import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../agent/attachment/index.js';
import { AccessSettings } from '../../access/index.js';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/index.js';
import { type FailedRequest, Wire } from '../wire/index.js';
import { CallFolds } from './call-folds.js';
import { McpEncoder } from './mcp.encoder.js';
import { errorAnswer, rpcError, rpcStatus } from './mcp.errors.js';
import { WIRE } from './mcp.types.js';
import { challengeFor } from './resource-metadata.js';

/** The Model Context Protocol: a run as the messages of a call. */
@Injectable()
export class McpWire extends Wire {
  readonly name = WIRE;
  override readonly paths = ['/mcp'];
  override readonly streamHeaders = { 'cache-control': 'no-store' };

  constructor(
    private readonly folds: CallFolds,
    private readonly address: PublicAddress,
    private readonly access: AccessSettings,
  ) {
    super();
  }

  override encoder(run: RunView): McpEncoder {
    return new McpEncoder({ fold: this.folds.of(run), context: this.folds.contextOf(run) });
  }

  override errorBody(error: HttpError): object {
    return errorAnswer(null, rpcError(error));
  }

  override errorStatus(error: HttpError): number {
    return rpcStatus(error);
  }

  /** Where a client learns how to sign in (contract mcp-server, section 7.4). */
  override errorHeaders(error: HttpError, { header }: FailedRequest): Readonly<Record<string, string>> {
    const challenge = error.headers?.['www-authenticate'];
    if (challenge === undefined || !this.access.methods.includes('oidc')) return {};
    return { 'www-authenticate': challengeFor(challenge, this.address.bases, header('host')) };
  }
}
