/** Part of the rule of an option, in an error: this entry reaches no machine. */
export const exceptOnMachine = 'except for createNodeAgent of @nodeagent/core/node';
