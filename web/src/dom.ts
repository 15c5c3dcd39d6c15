// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Elements without markup: text from data is only ever set as text.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]):
  HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export const SVG = 'http://www.w3.org/2000/svg';
export function s<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]):
  SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  fill(element, attributes, children);
  return element;
}

export function select(
  label: string, value: string, choices: [string, string][], change: (value: string) => void, hint?: string
): HTMLLabelElement {
  const box = h('select', { 'aria-label': label, change: () => change(box.value) });
  for (const [key, name] of choices) box.append(h('option', { value: key, selected: key === value }, name));
  return h('label', { class: 'field', title: hint }, h('span', {}, label), box);
}

export function check(label: string, value: boolean, change: (value: boolean) => void, hint?: string):
  HTMLLabelElement {
  const box = h('input', { type: 'checkbox', change: () => change(box.checked) });
  box.checked = value;
  return h('label', { class: 'field check', title: hint }, box, h('span', {}, label));
}

let ruler: CanvasRenderingContext2D | null | undefined;
const widths = new Map<string, number>();
// Width of a text in pixels.
export function measure(text: string, font: string): number {
  if (ruler === undefined) ruler = document.createElement('canvas').getContext('2d');
  if (ruler === null) return text.length * 7;
  const key = `${font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    ruler.font = font;
    width = ruler.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}
export const SANS = '"Inter", "Segoe UI", "Cantarell", "Noto Sans", "DejaVu Sans", system-ui, sans-serif';
export const MONO = '"JetBrains Mono", "Cascadia Mono", "SF Mono", "DejaVu Sans Mono", ui-monospace, monospace';
