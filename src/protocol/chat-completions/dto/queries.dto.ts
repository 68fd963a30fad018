import { OnDisconnectQuery } from '../../http/query-checks.js';

/** The query of `POST /chat/completions`. */
export class CompletionQueryDto {
  @OnDisconnectQuery('cancel')
  on_disconnect?: 'continue' | 'cancel';
}
