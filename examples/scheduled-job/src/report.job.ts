import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What the job needs of a response. */
interface Response {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly output: readonly { readonly content?: readonly { readonly type: string; readonly text?: string }[] }[];
}

/** Where the server is, and where reports are written. */
export interface ReportJob {
  readonly url: string;
  readonly folder: string;
  /** Sent if the server wants a key. */
  readonly key?: string | undefined;
}

/**
 * Writes the report of a day, unless it exists. The run has the day as its idempotency key: however often and from
 * however many processes the job is started, the agent runs once a day, and a job that was stopped finds its run again.
 *
 * @returns the file
 * @throws if the run fails
 */
export async function writeReport(job: ReportJob, day: string): Promise<string> {
  const file = join(job.folder, `${day}.md`);
  if (existsSync(file)) return file;
  const body = { model: 'report', input: `Write the report of ${day}.`, background: true };
  let response = await request(job, '/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `report-${day}` },
    body: JSON.stringify(body),
  });
  while (response.status === 'queued' || response.status === 'in_progress') {
    await delay(500);
    response = await request(job, `/v1/responses/${response.id}`);
  }
  if (response.status !== 'completed') {
    throw new Error(`The report of ${day} is ${response.status}: ${response.error?.message ?? 'no reason is given'}`);
  }
  mkdirSync(job.folder, { recursive: true });
  // A reader never sees half a report.
  writeFileSync(`${file}.new`, `${textOf(response)}\n`);
  renameSync(`${file}.new`, file);
  return file;
}

async function request({ url, key }: ReportJob, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), ...(key && { authorization: `Bearer ${key}` }) };
  const answer = await fetch(`${url}${path}`, { ...init, headers });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Response;
}

function textOf({ output }: Response): string {
  return output
    .flatMap(({ content = [] }) => content)
    .flatMap(({ type, text }) => (type === 'output_text' && text !== undefined ? [text] : []))
    .join('');
}
