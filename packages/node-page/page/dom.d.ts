type Child = Node | string | undefined;

interface Properties {
  text?: string;
  on?: Readonly<Record<string, EventListener>>;
  [attribute: string]: string | number | boolean | Readonly<Record<string, EventListener>> | undefined;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties?: Properties,
  ...children: Child[]
): HTMLElementTagNameMap[K];
export function setText(target: Element, text: string): void;
export function setAttribute(target: Element, name: string, value: string | number | boolean | undefined): void;
