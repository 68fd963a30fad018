import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Dialect, JSON_HEAD, WHOLE, WORLD } from './hostile-dialects.js';
import { type Answer, framed, openStream } from './responses-double.js';

/** What a run ends with: all of its texts, or the code of its error. */
export type Ending = string;
type ByKind = (dialect: Dialect) => Ending;

/** What breaks the protocol. */
export const PROTOCOL: Ending = 'UPSTREAM_PROTOCOL_ERROR';
/** A lost connection is made again where that is possible, here without success; or what is stored decides. */
const lost =
  (otherwise: Ending): ByKind =>
  ({ continues, isDetached }) =>
    isDetached === true ? WHOLE : continues ? 'UPSTREAM_LOST' : otherwise;
const CUT = lost('UPSTREAM_LOST');
const ENDED = lost(PROTOCOL);
/** What is stored decides where it is looked at meanwhile. */
const LATE: ByKind = ({ isDetached }) => (isDetached === true ? WHOLE : 'UPSTREAM_TIMEOUT');

/** Writes text or bytes, then does what follows. */
export function after(response: ServerResponse, bytes: string | Buffer, then: () => void = () => response.end()): void {
  if (!response.headersSent) openStream(response);
  response.write(bytes, () => setImmediate(then));
}

/** Writes the same again and again until the connection is closed. */
function endless(response: ServerResponse, bytes: string): void {
  if (!response.destroyed) after(response, bytes, () => setTimeout(() => endless(response, bytes), 1));
}

/** The events of the message, as they should be. */
export const whole = ({ begin, piece, end }: Dialect): object[] => [...begin, piece('Hello '), piece(WORLD), ...end];
const half = ({ begin, piece }: Dialect): string => framed([...begin, piece('Hello ')]);
const events =
  (make: (dialect: Dialect) => readonly object[]) =>
  (dialect: Dialect): Answer => {
    return (response) => after(response, framed(make(dialect)));
  };
const bytes =
  (make: (dialect: Dialect) => string | Buffer) =>
  (dialect: Dialect): Answer => {
    return (response) => after(response, make(dialect));
  };
/** An answer with this head and body. */
export const headed = (status: number, headers: Record<string, string>, body: string | Buffer) => (): Answer => {
  return (response) => void response.writeHead(status, headers).end(body);
};
/** A list in a list, and so on. */
export const nested = '['.repeat(50_000) + ']'.repeat(50_000);

/** What an upstream answers, and how its run ends. */
export interface Case {
  readonly name: string;
  readonly answer: (dialect: Dialect) => Answer;
  readonly ends: Ending | ByKind;
  readonly entry?: object;
}

/** Answers in events. */
export const STREAMS: readonly Case[] = [
  { name: 'events as they should be', answer: events(whole), ends: WHOLE },
  { name: 'no events', answer: events(() => []), ends: ({ isDetached }) => (isDetached === true ? WHOLE : PROTOCOL) },
  { name: 'no terminal event', answer: events(({ begin, piece }) => [...begin, piece('Hello ')]), ends: ENDED },
  { name: 'an event that is no JSON', answer: bytes((one) => `${half(one)}data: {"type":\n\n`), ends: PROTOCOL },
  { name: 'a list', answer: bytes(() => 'data: []\n\n'), ends: PROTOCOL },
  { name: 'a number', answer: bytes(() => 'data: 7\n\n'), ends: PROTOCOL },
  {
    name: 'an event that is nested too deeply',
    answer: bytes((one) => `${half(one)}data: {"type":"NEW","object":"new","value":${nested}}\n\n`),
    ends: PROTOCOL,
  },
  {
    name: 'a line that never ends',
    answer: () => (response) => after(response, 'data: ', () => endless(response, 'x'.repeat(1000))),
    ends: PROTOCOL,
    entry: { maxEventBytes: 4096 },
  },
  {
    name: 'an event of 10 MiB',
    answer: events(({ begin, piece, end }) => [...begin, piece('x'.repeat(10 * 1024 * 1024)), ...end]),
    ends: PROTOCOL,
  },
  {
    name: 'an error in place of an event',
    answer: events(({ begin }) => [...begin, { error: { message: 'Out of luck', code: 'x' } }]),
    ends: 'UPSTREAM_FAILED',
  },
  {
    name: 'a connection that breaks between events',
    answer: (one) => (response) => after(response, half(one), () => response.destroy()),
    ends: CUT,
  },
  {
    name: 'a connection that breaks within an event',
    answer: (one) => (response) => after(response, `${half(one)}data: {"ty`, () => response.destroy()),
    ends: CUT,
  },
  {
    name: 'a connection that breaks within a character',
    answer: (one) => (response) => {
      const cut = Buffer.concat([Buffer.from(`${half(one)}data: {"x":"`), Buffer.from('é').subarray(0, 1)]);
      after(response, cut, () => response.destroy());
    },
    ends: CUT,
  },
  { name: 'an end within an event', answer: bytes((one) => `${half(one)}data: {"ty`), ends: ENDED },
  {
    name: 'silence before the first event',
    answer: () => () => undefined,
    ends: LATE,
    entry: { firstEventMs: 50, idleMs: 50 },
  },
  {
    name: 'silence after some events',
    answer: (one) => (response) => after(response, half(one), () => undefined),
    ends: lost('UPSTREAM_TIMEOUT'),
    entry: { idleMs: 50 },
  },
  {
    name: 'an event that comes byte by byte and never ends',
    answer: (one) => (response) => after(response, `${half(one)}data: {"type":"`, () => endless(response, 'x')),
    ends: 'UPSTREAM_TIMEOUT',
    entry: { maxMs: 150 },
  },
  {
    name: 'comments for ever',
    answer: (one) => (response) => after(response, half(one), () => endless(response, ': still here\n\n')),
    ends: LATE,
    entry: { maxMs: 150, idleMs: 60 },
  },
  {
    name: 'pieces for ever, more than their number may be',
    answer: (one) => (response) =>
      after(response, half(one), () => endless(response, framed(Array.from({ length: 100 }, () => one.piece('a'))))),
    ends: PROTOCOL,
    entry: { maxEvents: 1000 },
  },
  {
    name: 'pieces for ever, larger than all together may be',
    answer: (one) => (response) =>
      after(response, half(one), () => endless(response, framed(Array.from({ length: 100 }, () => one.piece('a'))))),
    ends: PROTOCOL,
    entry: { maxBytes: 50_000 },
  },
  {
    name: 'events after the end, and another end',
    answer: events((one) => [...whole(one), one.piece('more'), ...one.end, ...whole(one)]),
    ends: WHOLE,
  },
  {
    name: 'a beginning that comes twice',
    answer: events((one) => [...one.begin, ...one.begin.slice(1), ...whole(one).slice(one.begin.length)]),
    ends: WHOLE,
  },
  {
    name: 'other ids in the middle',
    answer: bytes((one) => {
      const [first, ...rest] = [one.piece('Hello '), one.piece(WORLD)].map((piece) => framed([piece]));
      return framed(one.begin) + (first ?? '') + rest.join('').replaceAll('id-1', 'id-2') + framed(one.end);
    }),
    ends: ({ renamed }) => renamed,
  },
  {
    name: 'events of types that nobody knows',
    answer: events((one) =>
      whole(one).flatMap((event, index) => [
        ...(index === 0 ? [] : [{ type: 'SOMETHING_NEW', object: 'new', jsonrpc: '2.0', result: { x: index } }]),
        event,
      ]),
    ),
    ends: WHOLE,
  },
  {
    name: 'keys that change prototypes',
    answer: bytes((one) => {
      const evil = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},';
      return framed(whole(one)).replaceAll('data: {', `data: ${evil}`);
    }),
    ends: WHOLE,
  },
  {
    name: 'half of a surrogate pair in a text',
    answer: bytes((one) => framed(whole(one)).replace('Hello ', 'Hello \\ud83d')),
    ends: (one) => (one.isDetached === true ? `Hello \ufffd${WORLD}${WHOLE}` : `Hello \ufffd${WORLD}`),
  },
  {
    name: 'another character set in its head',
    answer: (one) => (response) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=iso-8859-1' });
      response.end(framed(whole(one)));
    },
    ends: WHOLE,
  },
];

/** Answers to the request itself, where that is the one whose answer is the stream. */
export const HEADS: readonly Case[] = [
  { name: 'a page of HTML', answer: headed(200, { 'content-type': 'text/html' }, '<html></html>'), ends: PROTOCOL },
  { name: 'text', answer: headed(200, { 'content-type': 'text/plain' }, 'data: {}\n\n'), ends: PROTOCOL },
  { name: 'no content type', answer: headed(200, {}, 'data: {}\n\n'), ends: PROTOCOL },
  {
    name: 'an error in JSON with status 200',
    answer: headed(200, JSON_HEAD, '{"error":{"message":"no","code":"x"}}'),
    ends: ({ takesJson }) => (takesJson === true ? 'UPSTREAM_FAILED' : PROTOCOL),
  },
  {
    name: 'compressed events',
    answer: (one) =>
      headed(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, gzipSync(framed(whole(one))))(),
    ends: PROTOCOL,
  },
  ...[301, 302, 303, 307, 308].map((status): Case => {
    const answer = headed(status, { location: 'http://127.0.0.1:9/' }, '');
    return { name: `a redirect with status ${status}`, answer, ends: 'UPSTREAM_FAILED' };
  }),
  ...(
    [
      [400, 'UPSTREAM_FAILED'],
      [401, 'UPSTREAM_UNAUTHORIZED'],
      [403, 'UPSTREAM_UNAUTHORIZED'],
      [404, 'UPSTREAM_FAILED'],
      [422, 'UPSTREAM_FAILED'],
      [500, 'UPSTREAM_UNAVAILABLE'],
      [502, 'UPSTREAM_UNAVAILABLE'],
      [504, 'UPSTREAM_UNAVAILABLE'],
    ] as const
  ).map(([status, ends]): Case => {
    return { name: `status ${status}`, answer: headed(status, JSON_HEAD, '{"error":{"message":"no"}}'), ends };
  }),
];
