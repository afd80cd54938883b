// Elements from code. Text goes in as text: nothing here reads HTML.

type Child = Node | string | null | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

export function drawn<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

function setAttributes(to: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    to.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(to: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined) to.append(child);
  }
}
