/** One field of a message: its number and its encoding. `T` is the value's type in TypeScript. */
export interface Field<T, Required extends boolean = boolean> {
  readonly number: number;
  readonly kind: 'string' | 'bool' | 'int64' | 'enum' | 'message';
  readonly repeated?: boolean;
  /** For `map<string, string>`. */
  readonly map?: boolean;
  /** For an enum: its names in the order of their numbers. */
  readonly names?: readonly string[];
  /** For a message. */
  readonly type?: MessageType;
  /** Used only by the type checker. */
  readonly value?: T;
  readonly required?: Required;
}

type Fields = Readonly<Record<string, Field<unknown>>>;

/** A proto3 message as a table of its fields, which defines its codec and type. */
export interface MessageType<F extends Fields = Fields> {
  readonly fields: F;
}

type ValueOf<F> = F extends Field<infer T> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];

/** A received message: absent fields have their default, except message-typed ones, which are undefined. */
export type Message<M> =
  M extends MessageType<infer F>
    ? { [K in RequiredKeys<F>]: Received<ValueOf<F[K]>> } & { [K in Exclude<keyof F, RequiredKeys<F>>]?: Received<ValueOf<F[K]>> }
    : never;
type Received<T> = T extends MessageType ? Message<T> : T extends (infer E)[] ? Received<E>[] : T;

/** A message to send: all fields are optional. */
export type MessageInit<M> = M extends MessageType<infer F> ? { readonly [K in keyof F]?: Sent<ValueOf<F[K]>> } : never;
type Sent<T> = T extends MessageType ? MessageInit<T> : T extends (infer E)[] ? readonly Sent<E>[] : T;

export const message = <F extends Fields>(fields: F): MessageType<F> => ({ fields });

export const string = (number: number): Field<string, true> => ({ number, kind: 'string' });
export const strings = (number: number): Field<string[], true> => ({ number, kind: 'string', repeated: true });
export const stringMap = (number: number): Field<Record<string, string>, true> => ({ number, kind: 'string', map: true });
export const bool = (number: number): Field<boolean, true> => ({ number, kind: 'bool' });
export const int64 = (number: number): Field<bigint, true> => ({ number, kind: 'int64' });
export const int64s = (number: number): Field<bigint[], true> => ({ number, kind: 'int64', repeated: true });
/** Unknown numbers decode to the first name. */
export const enumeration = <const N extends readonly string[]>(number: number, names: N): Field<N[number], true> => ({
  number,
  kind: 'enum',
  names,
});
export const embedded = <M extends MessageType>(number: number, type: M): Field<M, false> => ({ number, kind: 'message', type });
export const repeated = <M extends MessageType>(number: number, type: M): Field<M[], true> => ({
  number,
  kind: 'message',
  repeated: true,
  type,
});
