import { invalidOption } from '@nodeagent/api';
import type { Admission } from '../context.js';
import { onUncheckedTypes } from '../kinds/kind-rules.js';
import { nodeRestriction } from './node-restriction.js';
import type { AdmissionPlugin } from './plugin.js';
import { optionalPlugins, plugins } from './plugins.js';

/** Which plugins run. */
export interface AdmissionChoice {
  /** Plugins to run beside those that run by default, as `--enable-admission-plugins`. Default: none. */
  enableAdmissionPlugins?: readonly string[];
  /** Plugins not to run, as `--disable-admission-plugins`. Default: none. */
  disableAdmissionPlugins?: readonly string[];
  /** Whether nodes (`system:node:<name>` of the group `system:nodes`) may write only what NodeRestriction lets them. Default false. */
  nodeRestriction?: boolean;
}

/** Runs the chosen plugins in the order of an API server, whatever the order of the options. Throws `InvalidOption` for unknown names. */
export function createAdmission(choice: AdmissionChoice): Admission {
  const { enableAdmissionPlugins = [], disableAdmissionPlugins = [] } = choice;
  const known = plugins.map(({ name }) => name);
  for (const [option, names] of Object.entries({ enableAdmissionPlugins, disableAdmissionPlugins })) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) throw invalidOption(option, `names of admission plugins: ${known.join(', ')}`, unknown);
  }
  const enabled = [...enableAdmissionPlugins, ...(choice.nodeRestriction ? [nodeRestriction.name] : [])];
  const isOn = ({ name }: AdmissionPlugin) =>
    enabled.includes(name) || !(optionalPlugins.has(name) || disableAdmissionPlugins.includes(name));
  const chosen = plugins.filter(isOn);
  const mutating = chosen.filter(({ mutate }) => mutate);
  const validating = chosen.filter(({ validate }) => validate);
  return {
    mutate(request, context) {
      onUncheckedTypes(request.definition, () => {
        for (const plugin of mutating) plugin.mutate?.(request, context);
      });
    },
    validate(request, context) {
      onUncheckedTypes(request.definition, () => {
        for (const plugin of validating) plugin.validate?.(request, context);
      });
    },
  };
}
