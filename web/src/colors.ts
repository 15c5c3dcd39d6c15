// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Colours that drawings use; concrete values, so that an exported file looks the same.

type Rgb = [number, number, number];
const hex = (text: string): Rgb => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as Rgb;

const palettes = {
  light: {
    heat: ['#7fb9c4', '#e3b04b', '#d0452f'].map(hex),
    slower: hex('#c62828'),
    faster: hex('#1f6fb2'),
    same: hex('#8b97a3'),
    bar: { slower: hex('#ee8079'), faster: hex('#7fb4e8'), same: hex('#c5ccd3') }, // names stand on it
    slow: '#c62828',
    text: '#17212b',
    faint: '#5b6874',
    panel: '#ffffff',
    line: '#d5dce2',
    select: '#0b6e7f',
    page: '#f6f8f9',
  },
  dark: {
    heat: ['#2f7f8f', '#d79a34', '#f0604c'].map(hex),
    slower: hex('#ff6b5e'),
    faster: hex('#5ab0f2'),
    same: hex('#6d7a86'),
    bar: { slower: hex('#a8362e'), faster: hex('#1f629f'), same: hex('#3d4852') },
    slow: '#ff6b5e',
    text: '#e4eaef',
    faint: '#9aa7b2',
    panel: '#161d24',
    line: '#2b3640',
    select: '#59d0e3',
    page: '#0f151a',
  },
};

export const isDark = (): boolean => document.documentElement.dataset['theme'] === 'dark';
export const palette = (): (typeof palettes)['light'] => (isDark() ? palettes.dark : palettes.light);

const css = ([r, g, b]: Rgb): string => `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`;
const mix = (a: Rgb, b: Rgb, t: number): Rgb => [0, 1, 2].map((i) => a[i]! + (b[i]! - a[i]!) * t) as Rgb;

const HEATS = 512;
const heats = { light: [] as string[], dark: [] as string[] };

// Of a share of the whole: 0.1% is cool, 30% is hot. In steps that no eye tells apart: thousands of functions need one.
export function heat(share: number): string {
  const exact = Math.min(1, Math.max(0, (Math.log10(Math.max(share, 1e-9) * 100) + 1) / 2.5));
  const step = Math.round(exact * HEATS);
  const known = isDark() ? heats.dark : heats.light;
  if (known[step] !== undefined) return known[step];
  const t = step / HEATS;
  const [cool, warm, hot] = palette().heat as [Rgb, Rgb, Rgb];
  return (known[step] = css(t < 0.5 ? mix(cool, warm, 2 * t) : mix(warm, hot, 2 * t - 1)));
}

// What became slower is red, what became faster blue; the colour is as full as its share of the largest change.
type Changes = { slower: Rgb; faster: Rgb; same: Rgb };
function changeIn({ slower, faster, same }: Changes, before: number, after: number, swing: number): string {
  const share = swing > 0 ? Math.min(1, Math.abs(after - before) / swing) : 0;
  return css(mix(same, after > before ? slower : faster, share));
}
export const changed = (before: number, after: number, swing: number): string =>
  changeIn(palette(), before, after, swing);
export const changedBar = (before: number, after: number, swing: number): string =>
  changeIn(palette().bar, before, after, swing);

const NEAR = 44; // degrees

const hues = new Map<string, number>();
function hueOf(text: string): number {
  let at = hues.get(text);
  if (at !== undefined) return at;
  let x = 2166136261;
  for (let i = 0; i < text.length && i < 200; i++) x = Math.imul(x ^ text.charCodeAt(i), 16777619);
  hues.set(text, (at = ((x >>> 0) * 137.508) % 360));
  return at;
}
// A colour for a text; with a second one, one near it: functions of a file differ a little, files much.
export function hue(text: string, second?: string): number {
  return second === undefined ? hueOf(text) : (hueOf(text) + NEAR * (hueOf(second) / 360 - 0.5) + 360) % 360;
}
export function soft(text: string, step = 0, second?: string): string {
  const at = hue(text, second).toFixed(0);
  return isDark() ? `hsl(${at} 34% ${30 + step}%)` : `hsl(${at} 52% ${84 - step}%)`;
}
