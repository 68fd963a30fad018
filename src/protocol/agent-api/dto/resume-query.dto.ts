import { StreamQuery, StartingAfterQuery } from '../../http/query-checks.js';

/** The query of `GET /process/{responseId}`. */
export class ResumeQueryDto {
  @StreamQuery()
  stream?: 'true' | 'false';

  @StartingAfterQuery()
  starting_after?: string;
}
