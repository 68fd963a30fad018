import { madeDto, objects } from '../../openai/index.js';
import { requestMembers } from '../request/options.js';

/** The body of `POST /responses`: its options, and what the response does not repeat. Fields that are not listed are ignored. */
export const CreateResponseDto = madeDto('CreateResponse', {
  ...requestMembers(),
  'input?': { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
  'stream?': { type: Boolean, default: false },
  'context_management?': {
    ...objects,
    description: 'At most 16 entries of the type `compaction`, each with an optional `compact_threshold`.',
  },
});
