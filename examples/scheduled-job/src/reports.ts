import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the reports: a file for each day. */
export class Reports {
  constructor(private readonly folder: string) {}

  /**
   * Writes the report of a day, in place of an earlier one. It may be called twice with the same text: a run that was cut off
   * does so. A reader never sees half a report.
   *
   * @returns the file
   */
  save(day: string, text: string): string {
    const file = join(this.folder, `${day}.md`);
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(`${file}.new`, `${text}\n`);
    renameSync(`${file}.new`, file);
    return file;
  }
}
