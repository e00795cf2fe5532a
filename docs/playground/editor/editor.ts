import { autocompletion, type CompletionContext, type CompletionResult, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Problem } from '../session/manifest-text.js';
import { type FieldTable, suggest } from './fields.js';

/** Colours of the site, so that they follow its dark mode. */
const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--pg-key)' },
  { tag: [tags.string, tags.content], color: 'var(--vp-c-text-1)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--vp-c-text-2)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.separator, tags.punctuation], color: 'var(--vp-c-text-2)' },
]);

export interface EditorOptions {
  parent: HTMLElement;
  fields(): Promise<FieldTable>;
  onChange(text: string): void;
  /** Ctrl+Enter. */
  onApply(): void;
}

/** The editor of manifests. Tab indents; Escape, then Tab leaves it. */
export class ManifestEditor {
  readonly #view: EditorView;

  constructor({ parent, fields, onChange, onApply }: EditorOptions) {
    const applies = () => {
      onApply();
      return true;
    };
    const extensions = [
      lineNumbers(),
      history(),
      drawSelection(),
      yaml(),
      lintGutter(),
      syntaxHighlighting(highlighting),
      autocompletion({ override: [async (context) => completionsAt(context, await fields())] }),
      keymap.of([{ key: 'Mod-Enter', run: applies }, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ 'aria-label': 'Manifests' }),
      EditorView.lineWrapping,
      EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
    ];
    this.#view = new EditorView({ parent, state: EditorState.create({ extensions }) });
    this.#view.scrollDOM.tabIndex = 0;
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  set text(text: string) {
    if (text !== this.text) this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  /** Shows problems at their lines. */
  showProblems(problems: readonly Problem[]): void {
    const { doc } = this.#view.state;
    const diagnostics = problems.map(({ line, message }): Diagnostic => {
      const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
      return { from, to, severity: 'error', message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }
}

function completionsAt(context: CompletionContext, fields: FieldTable): CompletionResult | null {
  const word = context.matchBefore(/\w*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const text = context.state.doc.toString();
  const line = context.state.doc.lineAt(context.pos);
  const isValue = text.slice(line.from, context.pos).includes(':');
  const options = suggest(fields, text.slice(0, context.pos), text.slice(context.pos)).map(({ label, detail, summary }) => ({
    label,
    detail,
    ...(summary && { info: summary }),
    ...(!isValue && { apply: `${label}: ` }),
  }));
  return options.length > 0 ? { from: word.from, options, validFor: /^\w*$/ } : null;
}
