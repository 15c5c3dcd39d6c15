// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A view as a file, as text, or on paper.
import { App, View } from './app.ts';
import { palette } from './colors.ts';
import { measure, MONO, s, SANS } from './dom.ts';

interface WithTable extends View {
  table(): { head: string[]; rows: string[][]; number: boolean[] };
}
const hasTable = (view: View): view is WithTable => 'table' in view;

// A table as a drawing.
function tableDrawing(view: WithTable): SVGSVGElement {
  const { head, rows, number } = view.table();
  const colors = palette();
  const font = `12px ${MONO}`;
  const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
  const widths = head.map(
    (title, k) => Math.max(...[title, ...rows.map((row) => row[k]!)].map((text) => measure(short(text), font))) + 18
  );
  const width = widths.reduce((a, b) => a + b, 12);
  const height = (rows.length + 1) * 20 + 12;
  const svg = s('svg', { viewBox: `0 0 ${width.toFixed(0)} ${height}`, width: width.toFixed(0), height });
  [head, ...rows].forEach((row, i) => {
    let x = 6;
    row.forEach((text, k) => {
      const right = number[k] === true;
      svg.append(
        s('text',
          {
            x: (right ? x + widths[k]! - 10 : x).toFixed(1),
            y: 20 * i + 18,
            'text-anchor': right ? 'end' : 'start',
            fill: i === 0 ? colors.faint : colors.text,
            style: `font:${font}`
          },
          short(text))
      );
      x += widths[k]!;
    });
  });
  return svg;
}

export function svgText(view: View): string {
  const svg = view.drawing().svg ?? (hasTable(view) ? tableDrawing(view) : undefined);
  if (svg === undefined) return '';
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  const background = s('rect', { x: 0, y: 0, width: '100%', height: '100%', fill: palette().page });
  svg.prepend(background);
  svg.setAttribute('font-family', SANS.replace(/"/g, "'"));
  return new XMLSerializer().serializeToString(svg);
}

function save(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

async function png(text: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const scale = Math.min(2, 16000 / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  return new Promise(
    (done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png')
  );
}

export async function exportView(app: App, view: View, what: string): Promise<void> {
  const name = `${(app.profile.label || 'profile').replace(/[^\w.-]+/g, '_').slice(0, 60)}-${view.id}`;
  try {
    if (what === 'svg') save(`${name}.svg`, new Blob([svgText(view)], { type: 'image/svg+xml' }));
    else if (what === 'png') save(`${name}.png`, await png(svgText(view)));
    else if (what === 'copy') await copy(view.drawing().text);
    else if (what === 'link') await copy(`${location.href.split('#')[0]}${app.state.address()}`);
    else print();
    if (what !== 'print') app.say(what === 'copy' || what === 'link' ? 'Copied.' : `${name}.${what} is written.`);
  } catch (error) {
    app.say(`That failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea'); // a page from a file may not use the clipboard directly
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
