/** What the scripts of a folder start. */
export interface ScriptTargets {
  /** The path of Node. */
  node: string;
  /** The folder with the programs `kube-apiserver.js`, `etcd.js` and `kubectl.js`. */
  programs: string;
  /** Passed to the stand-in of kube-apiserver, see `ClusterChoice`. */
  choice: object;
}

/** The files of a folder for `KUBEBUILDER_ASSETS`, by name: shell scripts that become the stand-ins. */
export function assetScripts({ node, programs, choice }: ScriptTargets): Readonly<Record<string, string>> {
  const start = (program: string) => `exec ${quote(node)} ${quote(`${programs}/${program}.js`)}`;
  return {
    'kube-apiserver': script(`${start('kube-apiserver')} ${quote(JSON.stringify(choice))} "$@"`),
    etcd: script(`${start('etcd')} "$@"`),
    kubectl: script(kubectl, `${start('kubectl')} "$@"`),
  };
}

const script = (...lines: string[]) => `#!/bin/sh\n# Written by @nodeagent/envtest; run it again after an update.\n${lines.join('\n')}\n`;

/** Becomes the first kubectl on PATH. The variable stops stand-ins on PATH from starting each other. */
const kubectl = `if [ -z "$NODEAGENT_ENVTEST_KUBECTL" ]; then
  export NODEAGENT_ENVTEST_KUBECTL=1
  IFS=:
  for folder in $PATH; do
    if [ -x "$folder/kubectl" ] && ! [ "$folder/kubectl" -ef "$0" ]; then exec "$folder/kubectl" "$@"; fi
  done
fi`;

/** A word of a shell. */
const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
