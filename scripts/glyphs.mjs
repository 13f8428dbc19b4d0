// Draws the letters of preview images into apps/gateway/browser/glyphs.json, with Debian's chromium and its font
// fonts-dejavu-core, whose licence permits it. Run it again to add letters or to change their sizes.
import { writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');
const SIZES = {
  large: ['bold 60px "DejaVu Sans"', 'abcdefghijklmnopqrstuvwxyz0123456789.-'],
  small: ['27px "DejaVu Sans"', PRINTABLE],
};

/** One strip with all letters of a size: the width of each, and its pixels, 16 shades in four bits each. */
function strip([font, letters]) {
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  context.font = font;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText(letters);
  // Nothing of a letter reaches into the next.
  const gap = 6;
  const widths = [...letters].map((letter) => Math.round(context.measureText(letter).width));
  const [width, height] = [widths.reduce((sum, each) => sum + each + gap, 0), Math.ceil(up + down)];
  const drawing = new OffscreenCanvas(width, height).getContext('2d');
  drawing.font = font;
  drawing.fillStyle = '#fff';
  widths.reduce((x, each, at) => (drawing.fillText(letters[at], x, Math.ceil(up)), x + each + gap), 0);
  const { data } = drawing.getImageData(0, 0, width, height);
  return {
    letters,
    widths,
    gap,
    height,
    shades: Array.from({ length: width * height }, (_, at) => data[at * 4 + 3] >> 4),
  };
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox'] });
const page = await browser.newPage();
const sizes = [];
for (const [name, size] of Object.entries(SIZES)) {
  const { shades, ...rest } = await page.evaluate(strip, size);
  const packed = Buffer.from(
    Array.from({ length: Math.ceil(shades.length / 2) }, (_, at) => (shades[at * 2] << 4) | (shades[at * 2 + 1] ?? 0)),
  );
  sizes.push([name, { ...rest, shades: deflateRawSync(packed, { level: 9 }).toString('base64') }]);
}
await browser.close();
writeFileSync('apps/gateway/browser/glyphs.json', `${JSON.stringify(Object.fromEntries(sizes))}\n`);
