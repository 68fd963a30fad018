import { RUN_RECOVERED } from '../../../../events/index.js';
import { asJson, asObject, type Fields, objectAt, objectsAt, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { activityOf, either, optional, ownerOf } from './ag-ui-fields.js';

/** The source of raw events. */
export const SOURCE = 'ag-ui';

/** Writes an event beside the messages. Those without a word of ours are raw events. */
export function writeExtension(type: string, fields: Fields, writer: RemoteWriter): void {
  const owner = ownerOf(fields);
  switch (type) {
    case 'STEP_STARTED':
    case 'STEP_FINISHED': {
      const status = type === 'STEP_STARTED' ? 'started' : 'finished';
      return writer.emit({ object: 'step', name: either(fields, 'stepName') ?? '', status, ...owner });
    }
    case 'ACTIVITY_SNAPSHOT': {
      const content = asObject(objectAt(fields, 'content'));
      return writer.activity(
        { object: 'activity', kind: 'snapshot', ...activityOf(fields), content, ...owner },
        SOURCE,
      );
    }
    case 'ACTIVITY_DELTA': {
      const patch = objectsAt(fields, 'patch').map(asObject);
      return writer.activity({ object: 'activity', kind: 'delta', ...activityOf(fields), patch, ...owner }, SOURCE);
    }
    case 'RAW':
      return writer.emit({
        object: 'raw',
        event: asJson(fields['event'] ?? null),
        source: textAt(fields, 'source') ?? SOURCE,
        ...owner,
      });
    case 'SUBAGENT_STARTED':
      return writer.emit({
        object: 'subagent',
        status: 'started',
        id: either(fields, 'subagentRunId') ?? '',
        name: textAt(fields, 'name') ?? '',
        ...optional('description', textAt(fields, 'description')),
        ...optional('parent_id', either(fields, 'parentSubagentRunId')),
      });
    case 'SUBAGENT_FINISHED':
      return writer.emit({ object: 'subagent', status: 'finished', id: either(fields, 'subagentRunId') ?? '' });
    case 'SUBAGENT_ERROR': {
      const error = { code: textAt(fields, 'code') ?? 'UPSTREAM_FAILED', message: textAt(fields, 'message') ?? '' };
      return writer.emit({ object: 'subagent', status: 'failed', id: either(fields, 'subagentRunId') ?? '', error });
    }
    case 'CUSTOM': {
      const name = textAt(fields, 'name') ?? '';
      // Ours has a meaning for our own log.
      const shown = name === RUN_RECOVERED ? `upstream.${name}` : name;
      return writer.emit({ object: 'custom', name: shown, value: asJson(fields['value'] ?? null), ...owner });
    }
    default:
      return writer.emit({ object: 'raw', event: asObject(fields), source: SOURCE });
  }
}
