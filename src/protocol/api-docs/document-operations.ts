import type { OpenAPIObject } from '@nestjs/swagger';

/** What generators of clients may make a name of. */
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: object }[];
}

/** The id that Nest gives to a method with several paths: the name of its controller, its own, and the number of the path. */
const NEST_ID = /^(\w+?)Controller_(\w+?)(?:\[(\d+)\])?$/;

/**
 * Makes a document fit for generators of clients: ids of operations are plain words, each one once, and each parameter of
 * a path is declared by its operations, and objects without described members may have any. A further address of an
 * operation has its id with a number. Returns the document.
 *
 * @throws Error if two operations have the same id
 */
export function completeOperations(document: OpenAPIObject): OpenAPIObject {
  const used = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item) as Operation[]) {
      operation.operationId = plainId(operation.operationId, path);
      if (used.has(operation.operationId)) throw new Error(`Two operations have the id ${operation.operationId}`);
      used.add(operation.operationId);
      declareParameters(operation, path);
    }
  }
  openObjects(document);
  return document;
}

/** What says what the members of an object are. */
const MEMBERS = ['properties', 'additionalProperties', 'allOf', 'anyOf', 'oneOf'];

/** Generators take an object of which nothing is said for one without members. */
function openObjects(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) if (key !== 'example' && key !== 'examples') openObjects(part);
  if ('type' in value && value.type === 'object' && !MEMBERS.some((key) => key in value))
    Object.assign(value, { additionalProperties: true });
}

function plainId(id: string, path: string): string {
  const [, controller = '', method = '', index = '0'] = NEST_ID.exec(id) ?? [];
  if (controller === '') throw new Error(`The operation ${id} of ${path} is not of a controller`);
  const name = `${controller.charAt(0).toLowerCase()}${controller.slice(1)}_${method}`;
  return index === '0' ? name : `${name}_${Number(index) + 1}`;
}

function declareParameters(operation: Operation, path: string): void {
  const declared = operation.parameters ?? [];
  const missing = [...path.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !declared.some((parameter) => parameter.in === 'path' && parameter.name === name));
  if (missing.length === 0) return;
  operation.parameters = [
    ...missing.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...declared,
  ];
}
