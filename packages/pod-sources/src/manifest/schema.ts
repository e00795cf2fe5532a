/** The JSON type of a field, as the Kubernetes API reference gives it. */
export type FieldType =
  | { readonly kind: 'text' | 'flag' | 'quantity' | 'intOrText' | 'time' | 'ignored' }
  | { readonly kind: 'integer'; readonly bits: 32 | 64 }
  | { readonly kind: 'list' | 'map'; readonly of: FieldType }
  | StructType;

export interface StructType {
  readonly kind: 'struct';
  readonly fields: ReadonlyMap<string, FieldType>;
}

export const text: FieldType = { kind: 'text' };
export const flag: FieldType = { kind: 'flag' };
export const int32: FieldType = { kind: 'integer', bits: 32 };
export const int64: FieldType = { kind: 'integer', bits: 64 };
export const quantity: FieldType = { kind: 'quantity' };
export const intOrText: FieldType = { kind: 'intOrText' };
export const time: FieldType = { kind: 'time' };
/** A known field that has no effect in a manifest; dropped without a warning. */
export const ignored: FieldType = { kind: 'ignored' };

export function list(of: FieldType): FieldType {
  return { kind: 'list', of };
}

function map(of: FieldType): FieldType {
  return { kind: 'map', of };
}

export function struct(fields: Readonly<Record<string, FieldType>>): StructType {
  return { kind: 'struct', fields: new Map(Object.entries(fields)) };
}

export const textMap = map(text);
export const textList = list(text);
export const quantities = map(quantity);
