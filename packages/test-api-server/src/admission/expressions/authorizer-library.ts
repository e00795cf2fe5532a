import type { AccessAttributes, Authorizer } from '../../access/authorizer.js';
import { type CelOverload, overload } from '../../cel/functions.js';
import { CelOpaque } from '../../cel/values.js';

/** Checks in expressions whether the user may do something: Kubernetes documentation, "Common Expression Language: authorizer library". */

const prefix = 'kubernetes.authorization.';
export const authorizerType = { kind: 'opaque', name: `${prefix}Authorizer` } as const;

type Asked = Omit<AccessAttributes, 'verb'>;

/** A value with what is to be checked. */
class Check extends CelOpaque {
  readonly typeName: string;
  readonly authorize: Authorizer;
  readonly asked: Asked;

  constructor(kind: 'Authorizer' | 'PathCheck' | 'GroupCheck' | 'ResourceCheck', authorize: Authorizer, asked: Asked) {
    super();
    this.typeName = prefix + kind;
    this.authorize = authorize;
    this.asked = asked;
  }

  equals(other: CelOpaque): boolean {
    return this === other;
  }
}

class Decision extends CelOpaque {
  readonly typeName = `${prefix}Decision`;
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason = '' }: ReturnType<Authorizer>) {
    super();
    this.allowed = allowed;
    this.reason = reason;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Decision && other.allowed === this.allowed;
  }
}

/** The value of `authorizer`; `request` is the resource of `authorizer.requestResource`. */
export const authorizerValue = (authorize: Authorizer, request: Asked): CelOpaque => new Check('Authorizer', authorize, request);

const of = (kind: string, signature: string) => `${prefix}${kind}.${signature}`;
const resource = ({ authorize, asked }: Check, more: Partial<Asked>) => new Check('ResourceCheck', authorize, { ...asked, ...more });
const check = ({ authorize, asked }: Check, verb: string) => new Decision(authorize({ ...asked, verb }));

export const authorizerFunctions: readonly CelOverload[] = [
  overload(of('Authorizer', `path(string) ${prefix}PathCheck`), ({ authorize, asked }: Check, path: string) => {
    return new Check('PathCheck', authorize, { user: asked.user, isResource: false, path });
  }),
  overload(of('Authorizer', `group(string) ${prefix}GroupCheck`), ({ authorize, asked }: Check, group: string) => {
    return new Check('GroupCheck', authorize, { user: asked.user, isResource: true, group, version: '*' });
  }),
  overload(
    of('Authorizer', `serviceAccount(string, string) ${prefix}Authorizer`),
    ({ authorize, asked }: Check, namespace: string, name: string) => {
      const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
      return new Check('Authorizer', authorize, { ...asked, user: { username: `system:serviceaccount:${namespace}:${name}`, groups } });
    },
  ),
  overload(of('Authorizer', `requestResource() ${prefix}ResourceCheck`), (self: Check) => resource(self, {})),
  overload(of('GroupCheck', `resource(string) ${prefix}ResourceCheck`), (self: Check, name: string) => resource(self, { resource: name })),
  overload(of('ResourceCheck', `subresource(string) ${prefix}ResourceCheck`), (self: Check, subresource: string) =>
    resource(self, { subresource }),
  ),
  overload(of('ResourceCheck', `namespace(string) ${prefix}ResourceCheck`), (self: Check, namespace: string) =>
    resource(self, { namespace }),
  ),
  overload(of('ResourceCheck', `name(string) ${prefix}ResourceCheck`), (self: Check, name: string) => resource(self, { name })),
  overload(of('ResourceCheck', `fieldSelector(string) ${prefix}ResourceCheck`), (self: Check) => self),
  overload(of('ResourceCheck', `labelSelector(string) ${prefix}ResourceCheck`), (self: Check) => self),
  overload(of('PathCheck', `check(string) ${prefix}Decision`), check),
  overload(of('ResourceCheck', `check(string) ${prefix}Decision`), check),
  overload(of('Decision', 'allowed() bool'), ({ allowed }: Decision) => allowed),
  overload(of('Decision', 'reason() string'), ({ reason }: Decision) => reason),
  overload(of('Decision', 'errored() bool'), () => false),
  overload(of('Decision', 'error() string'), () => ''),
];
