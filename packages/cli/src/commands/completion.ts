import { nearestName } from '@nodeagent/api/helpers';
import type { Command } from '../command.js';
import type { Console } from '../console.js';
import { badUsage, describeFlags, helpFlag, readArguments } from '../flags.js';

/** Each script passes the words up to the cursor to `nodeagent __complete`, which prints `CANDIDATE<tab>DESCRIPTION` lines. */
const scripts = {
  bash: `_nodeagent() {
  # Bash splits words at "=" and ":" too: the words are read off the line, and what stands before the last piece is left out again.
  local words line word piece=\${COMP_WORDS[COMP_CWORD]}
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ \${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=('')
  word=\${words[-1]}
  [[ $piece == [=:] ]] && piece=
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    COMPREPLY+=("\${line#"\${word%"$piece"}"}")
  done < <(nodeagent __complete "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _nodeagent nodeagent
`,
  zsh: `#compdef nodeagent
_nodeagent() {
  local -a candidates
  local line
  for line in "\${(@f)$(nodeagent __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#candidates} )); then
    _describe nodeagent candidates
  else
    _files
  fi
}
# Called as the completion function if the file is in fpath, else sourced.
if [[ \${funcstack[1]} == _nodeagent ]]; then
  _nodeagent "$@"
else
  compdef _nodeagent nodeagent
fi
`,
  fish: `function __nodeagent_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (nodeagent __complete $words[2..-1] 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete --command nodeagent --no-files --arguments '(__nodeagent_complete)'
`,
};
const shells = Object.keys(scripts) as (keyof typeof scripts)[];

export function completionHelp(): string {
  return `Prints a script that completes commands, flags, values and pod names in a shell.

usage: nodeagent completion ${shells.join('|')}

${describeFlags([helpFlag])}

  bash: source <(nodeagent completion bash)
  zsh:  source <(nodeagent completion zsh)
  fish: nodeagent completion fish | source

Add the line to ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish to load it in every shell.

Exit codes: 0 success, 2 invalid arguments.
`;
}

export const completionCommand: Command = { flags: () => [helpFlag], help: completionHelp, firstWord: shells, run: completion };

/** `nodeagent completion`: prints the script of a shell. */
async function completion(args: readonly string[], console: Console): Promise<number> {
  const [wanted] = readArguments([helpFlag], args, 1).words;
  if (wanted === undefined) throw badUsage(`completion: a shell is required: ${shells.join(', ')}`);
  const shell = shells.find((each) => each === wanted);
  if (shell === undefined) {
    const near = nearestName(wanted, shells);
    throw badUsage(`completion: "${wanted}" is not one of ${shells.join(', ')}${near ? `; did you mean "${near}"?` : ''}`);
  }
  console.stdout.write(scripts[shell]);
  return 0;
}
