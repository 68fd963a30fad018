import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { CallerResolver } from '../../src/protocol/http/index.js';

/** Whoever sends a request without headers to a server without authentication. */
export const CALLER = new CallerResolver().resolve(new IncomingMessage(new Socket()));
