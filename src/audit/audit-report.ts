import { Injectable } from '@nestjs/common';
import { AppError, isPlainObject, type JsonObject, parsedJson } from '../common/index.js';
import { type AuditLine, lineOf, payloadHash } from './audit-line.js';
import { AuditReports, type LineQuery, type ListedRow } from './ports/audit-reports.js';

/** A line for people. */
export interface ListedLine {
  readonly line: AuditLine;
  /** Null until it is sealed. */
  readonly hash: string | null;
  /** Who the pseudonyms of the line are; those that were erased are left out. */
  readonly users: Readonly<Record<string, string>>;
  /** What people and models wrote; null without it, once it is erased, and if it is not what was written. */
  readonly content: JsonObject | null;
  /** A sentence if the content is not what was written with the line, as the check of the chain finds it; null otherwise. */
  readonly contentBreak: string | null;
}

/** One page, newest first. */
export interface LinePage {
  readonly items: readonly ListedLine[];
  readonly nextCursor: string | null;
}

/** Reads lines of the audit trail (contract access, section 8). */
@Injectable()
export class AuditReport {
  constructor(private readonly reports: AuditReports) {}

  /** @throws AppError INVALID_PARAMETER for an unknown cursor */
  async page(
    tenantId: string,
    { cursor, limit, ...query }: Omit<LineQuery, 'after'> & { readonly cursor?: string | undefined },
  ): Promise<LinePage> {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const rows = await this.reports.list(tenantId, { ...query, after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const users = await this.reports.users(tenantId, [...new Set(shown.flatMap(pseudonymsOf))]);
    const last = shown.at(-1)?.line;
    return {
      items: shown.flatMap((row) => listed(row, users)),
      nextCursor: rows.length > limit && last ? `${last.at}.${last.no}` : null,
    };
  }
}

function listed(row: ListedRow, users: ReadonlyMap<string, string>): readonly ListedLine[] {
  const line = lineOf(row.line, row.seq);
  if (!line) return [];
  const known = pseudonymsOf(row).flatMap((one) => {
    const name = users.get(one);
    return name === undefined ? [] : [[one, name] as const];
  });
  return [{ line, hash: row.hash, users: Object.fromEntries(known), ...contentOf(row) }];
}

/** Somebody may have changed it in the database: what is not JSON must not keep the other lines from being read. */
function contentOf({ line, content }: ListedRow): Pick<ListedLine, 'content' | 'contentBreak'> {
  if (content === null) return { content: null, contentBreak: null };
  if (content === 'unreadable') return { content: null, contentBreak: 'The content of this line cannot be decrypted' };
  const value = parsedJson(content.text);
  const isWritten = payloadHash(content.salt, content.text) === line.payloadHash && isPlainObject(value);
  if (!isWritten) return { content: null, contentBreak: 'The content of this line was changed' };
  return { content: value as JsonObject, contentBreak: null };
}

function pseudonymsOf({ line }: ListedRow): string[] {
  return [line.actorId, line.onBehalfOf, line.subjectId].filter((id): id is string => id?.startsWith('usr_') === true);
}

function readCursor(cursor: string): { at: number; no: number } {
  const match = /^(\d{1,16})\.(\d{1,10})$/.exec(cursor);
  if (!match) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return { at: Number(match[1]), no: Number(match[2]) };
}
