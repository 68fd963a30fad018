import { UserIdQuery } from '../../http/query-checks.js';

/** Whose attachment. */
export class AttachmentQueryDto {
  @UserIdQuery()
  user_id?: string;
}
