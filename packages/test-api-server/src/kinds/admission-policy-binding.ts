import type { BindingSpec, ParamRef } from '../admission/policies/policy.js';
import type { ApiObject } from '../objects.js';
import { unsupported } from './admission-fields.js';
import { matchProblems, setMatchDefaults } from './admission-policy.js';
import type { KindFieldProblem, KindRules } from './kind-rules.js';

const specOf = ({ spec }: ApiObject): BindingSpec => (spec ?? {}) as BindingSpec;
const setDefaults = (object: ApiObject) => setMatchDefaults(specOf(object).matchResources);

function paramProblems(paramRef: ParamRef | undefined): KindFieldProblem[] {
  if (paramRef === undefined) return [];
  const { name, selector, parameterNotFoundAction } = paramRef;
  const exactlyOne = Boolean(name) !== (selector !== undefined);
  return [
    ...(exactlyOne ? [] : [{ field: 'spec.paramRef.name', problem: 'Required value: one of name or selector must be specified' }]),
    ...(parameterNotFoundAction
      ? unsupported('spec.paramRef.parameterNotFoundAction', parameterNotFoundAction, ['Deny', 'Allow'])
      : [{ field: 'spec.paramRef.parameterNotFoundAction', problem: 'Required value' }]),
  ];
}

function commonProblems({ policyName, paramRef, matchResources }: BindingSpec): KindFieldProblem[] {
  return [
    ...(policyName ? [] : [{ field: 'spec.policyName', problem: 'Required value' }]),
    ...paramProblems(paramRef),
    ...matchProblems(matchResources, 'spec.matchResources'),
  ];
}

const field = 'spec.validationActions';
const known = ['Audit', 'Deny', 'Warn'];

export const validatingPolicyBindingRules: KindRules = {
  prepareCreate: setDefaults,
  prepareUpdate: setDefaults,
  validate(object) {
    const spec = specOf(object);
    const actions = spec.validationActions ?? [];
    const isContradiction = actions.includes('Deny') && actions.includes('Warn');
    return [
      ...commonProblems(spec),
      ...(actions.length === 0 ? [{ field, problem: 'Required value' }] : []),
      ...actions.flatMap((action, index) => [
        ...unsupported(field, action, known),
        ...(actions.indexOf(action) < index
          ? [{ field: `${field}[${index}]`, problem: `Duplicate value: ${JSON.stringify(action)}` }]
          : []),
      ]),
      ...(isContradiction
        ? [
            {
              field,
              problem: `Invalid value: ${JSON.stringify(actions)}: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`,
            },
          ]
        : []),
    ];
  },
};

export const mutatingPolicyBindingRules: KindRules = {
  prepareCreate: setDefaults,
  prepareUpdate: setDefaults,
  validate: (object) => commonProblems(specOf(object)),
};
