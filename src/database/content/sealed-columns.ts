import {
  auditPlace,
  chunkPlace,
  deliveryPlace,
  interruptPlace,
  messagePlace,
  runPlace,
  schedulePlace,
  statePlace,
  stepPlace,
} from './place.js';

/** A row of a table with content, by its columns. */
export type ContentRow = Readonly<Record<string, string | number | null>>;

/** A column with content. */
export interface ContentColumn {
  readonly name: string;
  /** `json`: it can be told from sealed text by its first character. */
  readonly kind: 'json' | 'text';
  /** The column that has the sealed text, if that is another one: then this one is empty. */
  readonly sealedIn?: string;
  readonly place: (row: ContentRow) => string;
}

/** A table with content. */
export interface ContentTable {
  readonly name: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Further columns that places are made of. */
  readonly read: readonly string[];
  /** The tenant of a row, as an SQL expression. */
  readonly tenant: string;
  readonly columns: readonly ContentColumn[];
}

const ofRun = (table: string): string => `(SELECT r.tenant_id FROM runs r WHERE r.no = ${table}.run_no)`;
const number = (value: string | number | null | undefined): number => Number(value);
const RUN = (row: ContentRow): readonly [number, number] => [number(row['session_no']), number(row['ordinal'])];
const QUESTION = (row: ContentRow): readonly [number, string] => [number(row['session_no']), String(row['id'])];
const MESSAGE = (row: ContentRow): readonly [number, number] => [number(row['session_no']), number(row['seq'])];

/** Every column of the database that is sealed where it is written. */
export const CONTENT_TABLES: readonly ContentTable[] = [
  {
    name: 'runs',
    key: ['no'],
    read: ['session_no', 'ordinal'],
    tenant: 'tenant_id',
    columns: [
      { name: 'request', kind: 'json', place: (row) => runPlace('request', ...RUN(row)) },
      { name: 'wire_data', kind: 'json', place: (row) => runPlace('wire_data', ...RUN(row)) },
      { name: 'state_before', kind: 'json', place: (row) => runPlace('state_before', ...RUN(row)) },
      { name: 'digests', kind: 'json', place: (row) => runPlace('digests', ...RUN(row)) },
      {
        name: 'input_text',
        kind: 'text',
        sealedIn: 'input_sealed',
        place: (row) => runPlace('input_sealed', ...RUN(row)),
      },
    ],
  },
  {
    name: 'run_event_chunks',
    key: ['run_no', 'first_seq'],
    read: [],
    tenant: ofRun('run_event_chunks'),
    columns: [
      { name: 'body', kind: 'json', place: (row) => chunkPlace(number(row['run_no']), number(row['first_seq'])) },
    ],
  },
  {
    name: 'run_results',
    key: ['run_no'],
    read: ['seq'],
    tenant: ofRun('run_results'),
    columns: [{ name: 'body', kind: 'json', place: (row) => chunkPlace(number(row['run_no']), number(row['seq'])) }],
  },
  {
    name: 'run_steps',
    key: ['run_no', 'step_key'],
    read: [],
    tenant: ofRun('run_steps'),
    columns: [
      { name: 'output', kind: 'json', place: (row) => stepPlace(number(row['run_no']), String(row['step_key'])) },
    ],
  },
  {
    name: 'sessions',
    key: ['no'],
    read: [],
    tenant: 'tenant_id',
    columns: [{ name: 'state', kind: 'json', place: (row) => statePlace(number(row['no'])) }],
  },
  {
    name: 'messages',
    key: ['session_no', 'seq'],
    read: [],
    tenant: '(SELECT s.tenant_id FROM sessions s WHERE s.no = messages.session_no)',
    columns: [
      { name: 'body', kind: 'json', place: (row) => messagePlace('body', ...MESSAGE(row)) },
      { name: 'provider_state', kind: 'json', place: (row) => messagePlace('provider_state', ...MESSAGE(row)) },
    ],
  },
  {
    name: 'interrupts',
    key: ['no'],
    read: ['session_no', 'id'],
    tenant: 'tenant_id',
    columns: [
      { name: 'arguments', kind: 'text', place: (row) => interruptPlace('arguments', ...QUESTION(row)) },
      { name: 'reason', kind: 'text', place: (row) => interruptPlace('reason', ...QUESTION(row)) },
      { name: 'message', kind: 'text', place: (row) => interruptPlace('message', ...QUESTION(row)) },
      { name: 'response_schema', kind: 'json', place: (row) => interruptPlace('response_schema', ...QUESTION(row)) },
      { name: 'decision', kind: 'json', place: (row) => interruptPlace('decision', ...QUESTION(row)) },
    ],
  },
  {
    name: 'audit_payloads',
    key: ['line_no'],
    read: [],
    tenant: 'tenant_id',
    columns: [{ name: 'content', kind: 'json', place: (row) => auditPlace(number(row['line_no'])) }],
  },
  {
    name: 'webhook_deliveries',
    key: ['no'],
    read: ['id'],
    tenant: 'tenant_id',
    columns: [{ name: 'body', kind: 'json', place: (row) => deliveryPlace(String(row['id'])) }],
  },
  {
    name: 'schedules',
    key: ['no'],
    read: ['id'],
    tenant: 'tenant_id',
    columns: [
      { name: 'input', kind: 'json', place: (row) => schedulePlace('input', String(row['id'])) },
      { name: 'metadata', kind: 'json', place: (row) => schedulePlace('metadata', String(row['id'])) },
      { name: 'model_options', kind: 'json', place: (row) => schedulePlace('model_options', String(row['id'])) },
    ],
  },
];
