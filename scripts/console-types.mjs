// npm run console:types: writes console/src/api/schema.ts from docs/openapi.json: the types that console/src/api/types.ts
// imports, and those that they refer to. With --check it only says whether the committed file is current.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ALL_PARTS, ensureInstalled } from './lib/project.mjs';
import { firstDifference } from './lib/stable-json.mjs';
import { loadTool } from './lib/tools.mjs';

/**
 * A schema of the document, as far as types are made from it.
 *
 * @typedef {{
 *   $ref?: string, type?: string, nullable?: boolean, description?: string, enum?: readonly unknown[],
 *   items?: Schema, properties?: Record<string, Schema>, required?: readonly string[],
 *   additionalProperties?: boolean | Schema, allOf?: readonly Schema[], oneOf?: readonly Schema[], anyOf?: readonly Schema[],
 * }} Schema
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'console/src/api/schema.ts');
const REFERENCE = '#/components/schemas/';

process.exitCode = (await ensureInstalled(root, { parts: ALL_PARTS })) || (await main());

/** @returns {Promise<number>} exit code */
async function main() {
  const content = await generate();
  if (!process.argv.includes('--check')) {
    writeFileSync(target, content);
    console.log('console/src/api/schema.ts is written');
    return 0;
  }
  const difference = firstDifference(readFileSync(target, 'utf8'), content);
  if (difference === undefined) {
    console.log('console/src/api/schema.ts is current');
    return 0;
  }
  console.error(`console/src/api/schema.ts is not current: run "npm run console:types" and commit it.\n${difference}`);
  return 1;
}

/** @returns {Promise<string>} */
async function generate() {
  /** @type {Record<string, Schema>} */
  const schemas = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')).components.schemas;
  const used = readFileSync(join(root, 'console/src/api/types.ts'), 'utf8').matchAll(/\b\w+Dto\b/g);
  const names = new Set([...used].map(([name]) => name));
  /** @type {string[]} */
  const types = [];
  // References are added to the set while it is read.
  for (const name of names) {
    const schema = schemas[name];
    if (!schema) throw new Error(`docs/openapi.json has no schema ${name}`);
    types.push(declared(name, schema));
    for (const [, reference] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (reference !== undefined) names.add(reference);
    }
  }
  const head =
    '/* eslint-disable max-lines -- Written by scripts/console-types.mjs from docs/openapi.json. Do not edit it. */';
  const text = [head, ...types.sort()].join('\n\n');
  const { format, resolveConfig } = loadTool(root, 'prettier');
  return format(text, { ...(await resolveConfig(target)), parser: 'typescript' });
}

/**
 * @param {string} name
 * @param {Schema} schema
 */
function declared(name, schema) {
  const words = `${comment(schema.description ?? `${name} of docs/openapi.json.`)}\n`;
  return schema.properties
    ? `${words}export interface ${name} ${typeOf({ ...schema, nullable: false })}`
    : `${words}export type ${name} = ${typeOf(schema)};`;
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeOf(schema) {
  const type = bareType(schema);
  return schema.nullable === true && type !== 'unknown' ? `${type} | null` : type;
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function bareType({ $ref, type, enum: values, items, properties, required = [], additionalProperties, ...parts }) {
  if ($ref !== undefined) return $ref.slice(REFERENCE.length);
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (parts.allOf) return parts.allOf.map(typeOf).join(' & ');
  const choices = parts.oneOf ?? parts.anyOf;
  if (choices) return `(${choices.map(typeOf).join(' | ')})`;
  if (properties) {
    const fields = Object.entries(properties).map(([name, one]) => {
      const mark = required.includes(name) ? '' : '?';
      return `${one.description ? `${comment(one.description)}\n` : ''}readonly ${name}${mark}: ${typeOf(one)};`;
    });
    return `{\n${fields.join('\n')}\n}`;
  }
  switch (type) {
    case 'array':
      return `readonly (${items ? typeOf(items) : 'unknown'})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
      return type;
    case 'object':
      return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>>`;
    default:
      return 'unknown';
  }
}

/** @param {string} text */
function comment(text) {
  return `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */`;
}
