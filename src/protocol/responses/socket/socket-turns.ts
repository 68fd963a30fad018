import { Injectable } from '@nestjs/common';
import { Runs } from '../../../run/index.js';
import { ResponseContext } from '../response-context.js';
import { ResponseCreation } from '../response-creation.js';
import { ResponseReader } from '../response.reader.js';
import { SocketTurn } from './socket-turn.js';

/** Gives each connection what it makes its responses with. */
@Injectable()
export class SocketTurns {
  constructor(
    private readonly creation: ResponseCreation,
    private readonly reader: ResponseReader,
    private readonly context: ResponseContext,
    private readonly runs: Runs,
  ) {}

  make(): SocketTurn {
    const { creation, reader, context, runs } = this;
    return new SocketTurn({ creation, reader, context, runs });
  }
}
