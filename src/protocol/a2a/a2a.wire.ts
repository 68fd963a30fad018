import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/index.js';
import { type FailedRequest, Wire } from '../wire/index.js';
import { WIRE_NAMES } from './a2a-data.js';
import { A2aEncoder, KEEP_ALIVE_FRAME, StreamFormat } from './a2a.encoder.js';
import { wireError } from './a2a.errors.js';
import { A2aSettings } from './a2a.settings.js';
import type { Version } from './a2a.types.js';
import { idsOf, Tasks } from './tasks.js';

/** The address of the JSON-RPC binding, of any agent. */
const RPC_PATH = /^\/a2a(\/agents\/[^/]+)?\/?$/;

/** A2A in one of its versions. */
abstract class VersionWire extends Wire {
  abstract readonly version: Version;
  override readonly keepAliveFrame = KEEP_ALIVE_FRAME;
  override readonly keepAliveMs: number;
  override readonly streamHeaders = { 'cache-control': 'no-store' };

  constructor(
    settings: A2aSettings,
    private readonly tasks: Tasks,
  ) {
    super();
    this.keepAliveMs = settings.keepAliveMs;
  }

  /** The update frames of one run, without the envelope of a request. */
  override encoder(run: RunView): A2aEncoder {
    const format = new StreamFormat({ version: this.version });
    return new A2aEncoder(this.tasks.foldOf(run), idsOf(run), format, this.name);
  }
}

/** A2A 1.0, and the errors of all routes of the wire. */
@Injectable()
export class A2aWire extends VersionWire {
  readonly name = WIRE_NAMES['1.0'];
  readonly version = '1.0';
  override readonly paths = ['/a2a'];

  // Nest reads the parameters of a class of its own.
  constructor(settings: A2aSettings, tasks: Tasks) {
    super(settings, tasks);
  }

  override errorStatus(error: HttpError, request: FailedRequest): number {
    const { status, rpcStatus } = wireError(error);
    return isRpc(request) ? rpcStatus : status;
  }

  override errorBody(error: HttpError, request: FailedRequest): object {
    const version = request.header('a2a-version')?.startsWith('0.3') === true ? '0.3' : '1.0';
    const { rpc, rest } = wireError(error, version);
    return isRpc(request) ? { jsonrpc: '2.0', id: null, error: rpc } : rest;
  }
}

/** A2A 0.3. */
@Injectable()
export class A2a03Wire extends VersionWire {
  readonly name = WIRE_NAMES['0.3'];
  readonly version = '0.3';

  constructor(settings: A2aSettings, tasks: Tasks) {
    super(settings, tasks);
  }
}

function isRpc({ method, path }: FailedRequest): boolean {
  return method === 'POST' && RPC_PATH.test(path);
}
