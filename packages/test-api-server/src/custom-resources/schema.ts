import { isObject } from '@nodeagent/api/helpers';

/** A structural schema: Kubernetes documentation, "CustomResourceDefinitions: Specifying a structural schema". */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** A rule in CEL: Kubernetes API reference, "ValidationRule". */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The fields that every object has: at the root, and in embedded resources. */
export const typeFields: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** The schema of a field of an object; undefined if none is declared. */
export function fieldSchemaOf({ properties, additionalProperties }: Schema, field: string): Schema | undefined {
  if (properties && Object.hasOwn(properties, field)) return properties[field];
  return isObject(additionalProperties) ? (additionalProperties as Schema) : undefined;
}

/** Whether fields without a declaration are kept. */
export function keepsUnknown(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
}

/** `a.b`, `a` at the root. */
export const inside = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
