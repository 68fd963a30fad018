import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../common/index.js';
import { EncoderRevisions } from '../../run/index.js';
import { headerReader } from '../http/connections/header-text.js';
import { commonErrorBody, type HttpError } from '../http/errors/http-error.js';
import { type ErrorAnswer, pathOf, registerErrorBodies } from '../http/errors/error-bodies.js';
import { Wire } from './wire.js';
import { wireOfRoute } from './wire-controller.decorator.js';

/** All wires of the server: the providers of the class `Wire`, in the order of their modules. */
@Injectable()
export class Wires implements OnModuleInit {
  /** Empty before `onModuleInit`. */
  private all: readonly Wire[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly host: HttpAdapterHost,
    private readonly revisions: EncoderRevisions,
  ) {}

  /** @throws TypeError when two wires have one name, or when a wire does not know its current revision */
  onModuleInit(): void {
    const providers = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    this.all = [...new Set(providers.filter((provider) => provider instanceof Wire))];
    const names = new Set(this.all.map(({ name }) => name));
    if (names.size < this.all.length) throw new TypeError('Two wires have the same name');
    for (const { name, encoderRevisions } of this.all) {
      const { current, known } = encoderRevisions;
      if (!known.includes(current)) throw new TypeError(`The wire ${name} does not know its own revision ${current}`);
      this.revisions.declare(name, current);
    }
    // An application context serves nothing: it has no adapter.
    const { httpAdapter } = this.host as Partial<HttpAdapterHost>;
    if (httpAdapter) {
      registerErrorBodies(httpAdapter.getInstance<FastifyInstance>(), (request, error) =>
        this.errorAnswer(request, error),
      );
    }
  }

  /** The wires in whose frames any run can be watched. */
  get watched(): readonly Wire[] {
    return this.all.filter(({ isWatchable }) => isWatchable);
  }

  /** As `Wire.sharesUnnamed` of the wire with a name; false for an unknown one. */
  sharesUnnamed(name: string): boolean {
    return this.all.some((wire) => wire.name === name && wire.sharesUnnamed);
  }

  /**
   * The wire in whose frames any run can be watched.
   *
   * @throws AppError INVALID_PARAMETER naming the wires there are
   */
  watchable(name: string): Wire {
    const wires = this.watched;
    const wire = wires.find((one) => one.name === name);
    if (wire) return wire;
    const message = `protocol must be one of ${wires.map((one) => one.name).join(', ')}`;
    throw new AppError('INVALID_PARAMETER', message, { details: [{ path: 'protocol', message }] });
  }

  /** The answer to an error: that of the wire whose route or else whose path it is, or the common one. */
  private errorAnswer(request: FastifyRequest, error: HttpError): ErrorAnswer {
    const { id: requestId, method } = request;
    const path = pathOf(request);
    const type = wireOfRoute(request);
    const wire = type ? this.all.find((one) => one instanceof type) : this.ofPath(path);
    if (!wire) return { status: error.status, body: commonErrorBody(error, requestId) };
    const failed = { requestId, method, path, header: headerReader(request) };
    return {
      status: wire.errorStatus(error, failed),
      body: wire.errorBody(error, failed),
      headers: wire.errorHeaders(error, failed),
    };
  }

  /** The wire with the longest matching path, for requests that match no route. */
  private ofPath(path: string): Wire | undefined {
    let longest = { length: -1, wire: undefined as Wire | undefined };
    for (const wire of this.all) {
      for (const { length } of wire.paths.filter((beginning) => path.startsWith(beginning))) {
        if (length > longest.length) longest = { length, wire };
      }
    }
    return longest.wire;
  }
}
