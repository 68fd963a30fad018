import { Injectable } from '@nestjs/common';
import type { AgentResponse } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import type { HttpError } from '../http/index.js';
import { OPENAI_PREFIXES } from '../openai/index.js';
import { Wire } from '../wire/index.js';
import { responseInfo, WIRE } from './response-info.js';
import { responseOf } from './response-object.js';
import type { ResponseObject } from './response.types.js';
import { ResponsesEncoder } from './responses.encoder.js';
import { errorBody } from './responses.errors.js';
import { ResponsesSettings } from './responses.settings.js';

/** The prefix of the legacy snippets, whose JSON responses get an additional envelope. */
const COMPATIBLE_MODE = '/compatible-mode/v1/';

/** OpenAI Responses. */
@Injectable()
export class ResponsesWire extends Wire {
  readonly name = WIRE;
  override readonly paths = OPENAI_PREFIXES.map((prefix) => `/${prefix}`);
  override readonly sharesUnnamed = true;

  constructor(private readonly settings: ResponsesSettings) {
    super();
  }

  override encoder(run: RunView): ResponsesEncoder {
    return new ResponsesEncoder(responseInfo(run));
  }

  override errorBody(error: HttpError): object {
    return errorBody(error);
  }

  override summary(run: RunView, response: AgentResponse): ResponseObject {
    return responseOf(responseInfo(run), response);
  }

  /**
   * The JSON body of a response. On the documented path it also has the key `response` with the same object:
   * published snippets read that key, SDKs ignore it (contract responses, section D).
   *
   * @param path of the request
   */
  legacyEnvelope(path: string, response: object): object {
    const isDocumented = path.startsWith(COMPATIBLE_MODE);
    return isDocumented && this.settings.legacyMirror ? Object.assign({}, response, { response }) : response;
  }
}
