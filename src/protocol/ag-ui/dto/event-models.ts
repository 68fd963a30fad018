import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { AG_UI_EVENTS, type EventFieldSchema, eventSchemaName } from '../../ag-ui-events/index.js';

/** A class a component of the OpenAPI document is made from. */
type Model = new () => object;

/** A model for each event. */
export const AG_UI_EVENT_MODELS: readonly Model[] = Object.entries(AG_UI_EVENTS).map(
  ([type, { description, required, optional = {} }]) => {
    const model = modelNamed(eventSchemaName(type));
    describe(model, 'type', { type: 'string', enum: [type], description }, true);
    for (const [name, schema] of Object.entries(required)) describe(model, name, schema, true);
    for (const [name, schema] of Object.entries(optional)) describe(model, name, schema, false);
    return model;
  },
);

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
