import * as z from 'zod';
import { schema } from './schema.ts';

/** For editors: what may stand in a configuration before anything is put in for variables. */
export function jsonSchema(): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
}
