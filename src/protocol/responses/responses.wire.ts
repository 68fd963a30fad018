import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/index.js';
import { Wire } from '../wire/index.js';
import { responseInfo, WIRE } from './response-info.js';
import { ResponsesEncoder } from './responses.encoder.js';
import { errorBody } from './responses.errors.js';
import { PREFIXES } from './routes.js';

/** OpenAI Responses. */
@Injectable()
export class ResponsesWire extends Wire {
  readonly name = WIRE;
  override readonly paths = PREFIXES.map((prefix) => `/${prefix}`);

  override encoder(run: RunView): ResponsesEncoder {
    return new ResponsesEncoder(responseInfo(run));
  }

  override errorBody(error: HttpError): object {
    return errorBody(error);
  }
}
