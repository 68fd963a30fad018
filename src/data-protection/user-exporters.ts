import { Injectable } from '@nestjs/common';
import type { JsonObject, Principal } from '../common/index.js';
import type { FoundRow, UserTable } from './ports/user-rows.js';

/** Something that is stored of a user. */
export interface ExportedRow {
  /** What it is, in the words of a receipt of an erasure, such as `messages`. */
  readonly kind: string;
  /** An object, or the JSON text of one in one line, which stays as it is. */
  readonly data: JsonObject | string;
  /** Set if its content cannot be decrypted: it has none. */
  readonly isUnreadable?: boolean;
}

/** A user whose data is being exported, and how it is read. */
export interface UserExport {
  readonly user: Principal;
  /**
   * The rows of a table, page by page: few of them are in memory at a time.
   *
   * @param values of the parameters of `UserTable.where`; default: the ids of the tenant and of the user
   */
  readonly list: (table: UserTable, values?: readonly (string | number)[]) => AsyncIterable<FoundRow>;
}

/** Lists what a feature stores of a user: everything that its `UserCleaner` removes or renames. It changes nothing. */
export interface UserExporter {
  /**
   * Lists everything, nothing of others, and no secret. It is read as fast as the client takes it, and may be left in the
   * middle.
   *
   * @throws anything: the export is cut, and its reader sees that
   */
  exportUser(request: UserExport): AsyncIterable<ExportedRow>;
}

/** The exporters of all features. A feature registers its own in the constructor of its module, next to its cleaner. */
@Injectable()
export class UserExporters {
  private readonly exporters: UserExporter[] = [];

  register(...exporters: readonly UserExporter[]): void {
    this.exporters.push(...exporters);
  }

  /** Everything of a user, in the order of the registration. */
  async *exportUser(request: UserExport): AsyncGenerator<ExportedRow, void, void> {
    for (const exporter of this.exporters) yield* exporter.exportUser(request);
  }
}

/** The exporter of a feature that stores what it has of users in tables of their own. */
export function exporterOf(...tables: readonly UserTable[]): UserExporter {
  return {
    async *exportUser({ list }) {
      for (const table of tables) yield* list(table);
    },
  };
}
