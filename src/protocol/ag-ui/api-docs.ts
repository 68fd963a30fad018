import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiProperty,
  type ApiPropertyOptions,
  ApiResponse,
} from '@nestjs/swagger';
import { apiErrors, type DocumentedErrors, ErrorBodyDto } from '../wire/api-route.js';
import { AG_UI_EVENTS, anyEventSchema, type EventFieldSchema, eventSchemaName } from '../ag-ui-events/index.js';
import { AG_UI_PROTO_TYPE } from './ag-ui-proto.js';
import { AG_UI_EXAMPLES, AgUiRunAgentInputDto } from './dto/run-agent-input.dto.js';

const ERRORS: DocumentedErrors = {
  model: ErrorBodyDto,
  text: {
    400: 'The request is invalid.',
    404: 'Unknown agent.',
    409: 'The thread is busy, or the run id was used with another request.',
    413: 'The body is too large.',
    415: 'The body is not JSON in UTF-8.',
    429: 'Too many runs are waiting.',
    503: 'The server is shutting down, or the database is unavailable.',
  },
};

/** A class a component of the OpenAPI document is made from. */
type Model = new () => object;

/** A model for each event. */
const AG_UI_EVENT_MODELS: readonly Model[] = Object.entries(AG_UI_EVENTS).map(
  ([type, { description, required, optional = {} }]) => {
    const model = modelNamed(eventSchemaName(type));
    describe(model, 'type', { type: 'string', enum: [type], description }, true);
    for (const [name, schema] of Object.entries(required)) describe(model, name, schema, true);
    for (const [name, schema] of Object.entries(optional)) describe(model, name, schema, false);
    return model;
  },
);

/** Documents a route that runs an agent and streams AG-UI events. */
export function ApiAgUiRun(summary: string): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary,
      description:
        'Starts a run and streams its events in camelCase, one `data:` line each. Optional fields are absent, not null. Disconnecting does not stop the run. `Accept: application/vnd.ag-ui.event+proto` selects the binary stream.',
    }),
    ApiBody({ type: AgUiRunAgentInputDto, examples: AG_UI_EXAMPLES }),
    ApiHeader({ name: 'X-User-Id', required: false, description: 'The user. Default: forwardedProps.user_id.' }),
    ApiExtraModels(...AG_UI_EVENT_MODELS),
    ApiResponse({
      status: 200,
      description: 'The events. The last one is RUN_FINISHED or RUN_ERROR.',
      headers: {
        'Content-Location': { description: 'Where the run can be watched again.', schema: { type: 'string' } },
        'X-Run-Id': { description: "The server's id of the run.", schema: { type: 'string' } },
      },
      content: {
        'text/event-stream': { schema: anyEventSchema() },
        [AG_UI_PROTO_TYPE]: { schema: { type: 'string', format: 'binary' } },
      },
    }),
    ...apiErrors(ERRORS, Object.keys(ERRORS.text).map(Number)),
  );
}

/** Documents the agent in the path. */
export function ApiAgentPath(): MethodDecorator {
  return ApiParam({
    name: 'agentId',
    example: 'worker',
    description: 'The agent type; `default` for the default one.',
  });
}

function modelNamed(name: string): Model {
  const model = class {};
  Object.defineProperty(model, 'name', { value: name });
  return model;
}

function describe(model: Model, name: string, schema: EventFieldSchema, required: boolean): void {
  const { enum: values, ...rest } = schema;
  const options = { ...rest, ...(values && { enum: [...values] }), required } as ApiPropertyOptions;
  const prototype = model.prototype as object;
  // Compiled classes carry this; without it a property of any type would count as a circular reference.
  Reflect.defineMetadata('design:type', Object, prototype, name);
  ApiProperty(options)(prototype, name);
}
