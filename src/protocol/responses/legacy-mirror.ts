import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ResponseObject } from './response.types.js';
import { ResponsesSettings } from './responses.settings.js';
import { COMPATIBLE_MODE } from './routes.js';

/**
 * The documented place answers with the response and, under the key `response`, with itself again:
 * snippets read one, SDKs the other (contract responses, section D).
 */
@Injectable()
export class LegacyMirror {
  constructor(private readonly settings: ResponsesSettings) {}

  of(request: FastifyRequest, response: ResponseObject): object {
    const isDocumented = request.url.startsWith(COMPATIBLE_MODE);
    return isDocumented && this.settings.legacyMirror ? { ...response, response } : response;
  }
}
